/** Checks that something is a JSON Schema when it is given, before the first value is validated with it. */
import type { Json, JsonObject } from '@pawl/protocol';

const types: ReadonlySet<Json> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
/** Deeper than any schema that people write or a model follows. */
const maxDepth = 100;

type Check = (value: Json, place: string, depth: number) => string | null;

/** Why it is not a JSON Schema, and where; null if it is one. Unknown keywords are allowed, as in the standard. */
export function schemaFault(schema: Json): string | null {
  return checkSchema(schema, 'The schema', 0) ?? refFault(schema);
}

const checkSchema: Check = (schema, place, depth) => {
  if (typeof schema === 'boolean' && depth > 0) return null;
  if (!isObject(schema)) return `${place} is ${nameOf(schema)}, and has to be an object.`;
  if (depth > maxDepth) return `${place} is nested too deeply.`;
  for (const [keyword, value] of Object.entries(schema)) {
    const check = Object.hasOwn(keywords, keyword) ? keywords[keyword] : undefined;
    const fault = check?.(value, `${place} > ${keyword}`, depth + 1) ?? null;
    if (fault !== null) return fault;
  }
  return null;
};

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const nameOf = (value: Json): string =>
  value === null
    ? 'null'
    : Array.isArray(value)
      ? 'a list'
      : typeof value === 'object'
        ? 'an object'
        : JSON.stringify(value);

const listOf =
  (check: Check): Check =>
  (value, place, depth) => {
    if (!Array.isArray(value)) return `${place} is ${nameOf(value)}, and has to be a list.`;
    for (const [index, entry] of value.entries()) {
      const fault = check(entry, `${place}[${index}]`, depth);
      if (fault !== null) return fault;
    }
    return null;
  };

const nonEmptyListOf =
  (check: Check): Check =>
  (value, place, depth) =>
    Array.isArray(value) && value.length === 0 ? `${place} is empty.` : listOf(check)(value, place, depth);

const mapOf =
  (check: Check): Check =>
  (value, place, depth) => {
    if (!isObject(value)) return `${place} is ${nameOf(value)}, and has to be an object.`;
    for (const [name, entry] of Object.entries(value)) {
      const fault = check(entry, `${place} > ${name}`, depth);
      if (fault !== null) return fault;
    }
    return null;
  };

const typed =
  (isRight: (value: Json) => boolean, what: string): Check =>
  (value, place) =>
    isRight(value) ? null : `${place} is ${nameOf(value)}, and has to be ${what}.`;

const text = typed((value) => typeof value === 'string', 'a text');
const number = typed((value) => typeof value === 'number', 'a number');
const count = typed((value) => Number.isInteger(value) && Number(value) >= 0, 'a whole number from 0 on');
const truth = typed((value) => typeof value === 'boolean', 'true or false');
const typeName = typed((value) => types.has(value), `one of ${[...types].join(', ')}`);

const type: Check = (value, place, depth) =>
  Array.isArray(value) ? nonEmptyListOf(typeName)(value, place, depth) : typeName(value, place, depth);

const pattern: Check = (value, place, depth) => {
  if (typeof value !== 'string') return text(value, place, depth);
  try {
    new RegExp(value, 'u');
    return null;
  } catch {
    return `${place} is no regular expression: ${value}`;
  }
};

/** Draft 7 has a list of schemas here. */
const items: Check = (value, place, depth) =>
  Array.isArray(value) ? listOf(checkSchema)(value, place, depth) : checkSchema(value, place, depth);

const keywords: { readonly [keyword: string]: Check } = {
  type,
  enum: listOf(() => null),
  required: listOf(text),
  properties: mapOf(checkSchema),
  patternProperties: mapOf(checkSchema),
  dependentSchemas: mapOf(checkSchema),
  $defs: mapOf(checkSchema),
  definitions: mapOf(checkSchema),
  additionalProperties: checkSchema,
  unevaluatedProperties: checkSchema,
  unevaluatedItems: checkSchema,
  propertyNames: checkSchema,
  items,
  prefixItems: nonEmptyListOf(checkSchema),
  contains: checkSchema,
  not: checkSchema,
  if: checkSchema,
  // biome-ignore lint/suspicious/noThenProperty: this is the keyword's name.
  then: checkSchema,
  else: checkSchema,
  allOf: nonEmptyListOf(checkSchema),
  anyOf: nonEmptyListOf(checkSchema),
  oneOf: nonEmptyListOf(checkSchema),
  pattern,
  format: text,
  title: text,
  description: text,
  $ref: text,
  $id: text,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minProperties: count,
  maxProperties: count,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: typed((value) => typeof value === 'number' && value > 0, 'a number above 0'),
  uniqueItems: truth,
};

/** References that cannot be resolved. Those to other documents never can. */
function refFault(root: Json): string | null {
  const anchors = new Set<string>();
  const refs: string[] = [];
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isObject(value)) return;
    for (const key of ['$id', '$anchor']) if (typeof value[key] === 'string') anchors.add(value[key]);
    if (typeof value.$ref === 'string') refs.push(value.$ref);
    for (const [key, entry] of Object.entries(value)) if (!literals.has(key)) visit(entry);
  };
  visit(root);
  const lost = refs.find((ref) => !anchors.has(ref) && !anchors.has(ref.replace(/^#/, '')) && !isThere(root, ref));
  return lost === undefined ? null : `The schema refers to "${lost}", which is not in it.`;
}

/** Keywords that hold values, not schemas. */
const literals = new Set(['enum', 'const', 'default', 'examples']);

function isThere(root: Json, ref: string): boolean {
  if (ref === '#') return true;
  if (!ref.startsWith('#/')) return false;
  let at: Json | undefined = root;
  for (const step of ref.slice(2).split('/')) {
    const key = safeDecode(step).replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
    if (at === undefined) return false;
  }
  return true;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
