/** Whether two values are the same as data; a property that is undefined is one that is absent. Null, or where they differ. */
export function difference(left: unknown, right: unknown, place = 'state'): string | null {
  if (Object.is(left, right)) return null;
  if (left instanceof Map && right instanceof Map) {
    return difference([...left.entries()], [...right.entries()], place);
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    if (left.length !== right.length) return `${place} has ${left.length} and ${right.length} entries`;
    for (let index = 0; index < left.length; index++) {
      const found = difference(left[index], right[index], `${place}[${index}]`);
      if (found !== null) return found;
    }
    return null;
  }
  if (!isObject(left) || !isObject(right)) return `${place} is ${JSON.stringify(left)} and ${JSON.stringify(right)}`;
  for (const key in left) {
    const found = difference(left[key], right[key], `${place}.${key}`);
    if (found !== null) return found;
  }
  for (const key in right) {
    if (right[key] !== undefined && left[key] === undefined)
      return `${place}.${key} is absent and ${JSON.stringify(right[key])}`;
  }
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
