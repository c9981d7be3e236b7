import type { Json, JsonObject } from '@pawl/protocol';

/**
 * A validator for the plain JSON Schemas that most tools have. It spares them a full one, which takes some 90 ms to load.
 * Anything beyond these keywords is for the full one.
 */
const keywords = new Set(
  'additionalProperties default description enum examples items maxItems maxLength maximum minItems minLength minimum properties required title type'.split(
    ' ',
  ),
);
const types = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether `findProblems` understands all of this schema. */
export function isSimpleSchema(schema: Json | undefined): schema is JsonObject {
  if (!isObject(schema) || !Object.keys(schema).every((key) => keywords.has(key))) return false;
  const { type, properties, items, additionalProperties, enum: values } = schema;
  if (typeof type !== 'string' || !types.has(type)) return false;
  if (values !== undefined && !(Array.isArray(values) && values.every((value) => typeof value !== 'object')))
    return false;
  if (additionalProperties !== undefined && typeof additionalProperties !== 'boolean') return false;
  if (items !== undefined && !isSimpleSchema(items)) return false;
  return properties === undefined || (isObject(properties) && Object.values(properties).every(isSimpleSchema));
}

const typeOf = (value: Json) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** A value as it may stand in a sentence. */
const show = (value: Json) => {
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
};

const article = (type: string) => (type === 'null' ? 'null' : /^[aio]/.test(type) ? `an ${type}` : `a ${type}`);

/** What is wrong with a value, one sentence each, naming the place; empty if nothing is. `path` is empty at the top. */
export function findProblems(schema: JsonObject, value: Json, path = ''): string[] {
  const at = path === '' ? 'the arguments' : `"${path}"`;
  const type = schema.type as string;
  const isRightType = type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
  if (!isRightType) return [`${at} must be ${article(type)}, not ${article(typeOf(value))}: ${show(value)}`];
  const problems: string[] = [];
  const limit = (keyword: string, actual: number, isBroken: (limit: number) => boolean, what: string) => {
    const bound = schema[keyword];
    if (typeof bound === 'number' && isBroken(bound)) problems.push(`${at} must ${what} ${bound}, not ${actual}`);
  };
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    problems.push(`${at} must be one of ${schema.enum.map(show).join(', ')}, not ${show(value)}`);
  }
  if (typeof value === 'number') {
    limit('minimum', value, (bound) => value < bound, 'be at least');
    limit('maximum', value, (bound) => value > bound, 'be at most');
  } else if (typeof value === 'string') {
    const length = Array.from(value).length;
    limit('minLength', length, (bound) => length < bound, 'have a length of at least');
    limit('maxLength', length, (bound) => length > bound, 'have a length of at most');
  } else if (Array.isArray(value)) {
    limit('minItems', value.length, (bound) => value.length < bound, 'have at least this many items:');
    limit('maxItems', value.length, (bound) => value.length > bound, 'have at most this many items:');
    const { items } = schema;
    if (isObject(items))
      problems.push(...value.flatMap((item, index) => findProblems(items, item, `${path}[${index}]`)));
  } else if (isObject(value)) {
    problems.push(...findPropertyProblems(schema, value, path));
  }
  return problems;
}

function findPropertyProblems(schema: JsonObject, value: JsonObject, path: string): string[] {
  const properties = (schema.properties ?? {}) as { [name: string]: JsonObject };
  const required = (schema.required ?? []) as string[];
  const place = (name: string) => (path === '' ? name : `${path}.${name}`);
  const missing = required.filter((name) => !Object.hasOwn(value, name)).map((name) => `"${place(name)}" is missing`);
  const rest = Object.entries(value).flatMap(([name, each]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property !== undefined) return findProblems(property, each, place(name));
    if (schema.additionalProperties !== false) return [];
    return [`"${place(name)}" is not an argument; there are ${Object.keys(properties).join(', ') || 'none'}`];
  });
  return [...missing, ...rest];
}
