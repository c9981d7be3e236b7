/** Whether two values are the same JSON, whatever the order of their keys; a key without a value counts as absent. */
export function isSameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isObject(left) || !isObject(right)) return (left ?? null) === (right ?? null);
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
    return left.every((entry, index) => isSameJson(entry, right[index]));
  }
  const keys = definedKeys(left);
  return (
    keys.length === definedKeys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isSameJson(left[key], right[key]))
  );
}

type Fields = { [key: string]: unknown };

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

const definedKeys = (value: Fields): string[] => Object.keys(value).filter((key) => value[key] !== undefined);
