/** Holds a value against the published schema, and says what is wrong in words that need no knowledge of schemas. */
import { suggestion } from '@pawl/models/near';

/** What of JSON Schema our own schema uses; a test sees to it that it uses no more. */
export type Schema = {
  $ref?: string;
  type?: 'object' | 'array' | 'string' | 'number' | 'integer' | 'boolean';
  enum?: readonly string[];
  /** The first of these that the value itself fits is the one that holds for what is in it. */
  anyOf?: readonly Schema[];
  properties?: { readonly [name: string]: Schema };
  additionalProperties?: Schema | false;
  propertyNames?: Schema;
  required?: readonly string[];
  minProperties?: number;
  maxProperties?: number;
  items?: Schema;
  minItems?: number;
  minLength?: number;
  pattern?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  /** The value may be a secret: it is not repeated. */
  writeOnly?: boolean;
  /** What to say in place of what follows from the rest; a keyword that editors know too. */
  errorMessage?: string;
  $defs?: { readonly [name: string]: Schema };
};

/** The first thing that is wrong, as `place: what`, or null. The place is written `limits.steps`, or `the file`. */
export function problemIn(value: unknown, root: Schema): string | null {
  return problemAt(value, root, root, []);
}

function problemAt(value: unknown, written: Schema, root: Schema, place: readonly string[]): string | null {
  const schema = resolve(written, root);
  const alternative = schema.anyOf?.find((one) => fits(value, one));
  if (alternative !== undefined) return problemAt(value, alternative, root, place);
  const wrong = wrongHere(value, schema);
  if (wrong !== null) return `${placeText(place)}: ${wrong}`;
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined
      ? null
      : first(value, (item, index) => problemAt(item, items, root, [...place, `${index}`]));
  }
  return isObject(value) ? problemInside(value, schema, root, place) : null;
}

/** What is pasted from other programs' settings. */
const calledElsewhere: { readonly [name: string]: string } = { defaultMode: 'mode', permissions: 'rules' };

function problemInside(
  value: { [name: string]: unknown },
  schema: Schema,
  root: Schema,
  place: readonly string[],
): string | null {
  const { properties = {}, additionalProperties, propertyNames, required = [] } = schema;
  const found = first(Object.entries(value), ([name, inner]) => {
    const here = [...place, name];
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known !== undefined) return problemAt(inner, known, root, here);
    if (additionalProperties === false) {
      const meant = Object.hasOwn(calledElsewhere, name) ? calledElsewhere[name] : undefined;
      const near = meant === undefined ? suggestion(name, Object.keys(properties)) : ` Did you mean "${meant}"?`;
      return `${placeText(here)}: there is no such setting.${near}`;
    }
    const isName = propertyNames === undefined ? null : wrongHere(name, resolve(propertyNames, root));
    if (isName !== null) return `${placeText(here)}: ${isName}`;
    return additionalProperties === undefined ? null : problemAt(inner, additionalProperties, root, here);
  });
  if (found !== null) return found;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  return missing === undefined ? null : `${placeText([...place, missing])}: is missing`;
}

/** What is wrong with the value itself, whatever is in it. */
function wrongHere(value: unknown, schema: Schema): string | null {
  if (fits(value, schema)) return null;
  const wanted = schema.errorMessage ?? `must be ${wantedText(schema)}`;
  // What it is says enough where it was shown to be wrong; a secret is not repeated.
  const isShown = schema.writeOnly !== true && schema.errorMessage?.startsWith('is ') !== true;
  return isShown ? `${wanted}, is ${valueText(value)}` : wanted;
}

function fits(value: unknown, schema: Schema): boolean {
  const { type, minItems = 0, minLength = 0, pattern, minProperties = 0, maxProperties = Infinity } = schema;
  if (schema.anyOf !== undefined && !schema.anyOf.some((one) => fits(value, one))) return false;
  if (schema.enum !== undefined && !schema.enum.some((one) => one === value)) return false;
  if (type !== undefined && !hasType(value, type)) return false;
  if (Array.isArray(value)) return value.length >= minItems;
  if (typeof value === 'string') {
    return value.length >= minLength && (pattern === undefined || new RegExp(pattern, 'u').test(value));
  }
  if (typeof value === 'number') return isInRange(value, schema);
  if (!isObject(value)) return true;
  const count = Object.keys(value).length;
  return count >= minProperties && count <= maxProperties;
}

function isInRange(value: number, { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity }: Schema) {
  return value >= minimum && value > exclusiveMinimum && value <= maximum;
}

function hasType(value: unknown, type: NonNullable<Schema['type']>): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'string':
      return typeof value === 'string';
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return type satisfies never;
  }
}

/** `a whole number from 1 to 1000`, `"manual" or "plan"`, `a list`. */
function wantedText(schema: Schema): string {
  const { type, minItems = 0, minLength = 0 } = schema;
  if (schema.enum !== undefined) return alternatives(schema.enum.map((one) => `"${one}"`));
  switch (type) {
    case 'integer':
    case 'number':
      return `${type === 'integer' ? 'a whole number' : 'a number'}${rangeText(schema)}`;
    case 'string':
      return minLength > 0 ? 'a text that is not empty' : 'a text';
    case 'boolean':
      return 'true or false';
    case 'array':
      return minItems > 0 ? 'a list with at least one entry' : 'a list';
    case 'object':
    case undefined:
      return 'a mapping of names to values';
    default:
      return type satisfies never;
  }
}

function rangeText({ minimum, exclusiveMinimum, maximum }: Schema): string {
  if (exclusiveMinimum !== undefined) return ` greater than ${exclusiveMinimum}`;
  if (minimum === undefined) return maximum === undefined ? '' : ` up to ${maximum}`;
  return maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`;
}

function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'a mapping';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function placeText(place: readonly string[]): string {
  return place.length === 0 ? 'the file' : place.join('.');
}

function resolve(schema: Schema, root: Schema): Schema {
  const name = schema.$ref?.replace('#/$defs/', '');
  return name === undefined ? schema : (root.$defs?.[name] ?? schema);
}

function first<Item>(items: readonly Item[], look: (item: Item, index: number) => string | null): string | null {
  for (const [index, item] of items.entries()) {
    const found = look(item, index);
    if (found !== null) return found;
  }
  return null;
}

function isObject(value: unknown): value is { [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
