import type { JsonObject } from '@pawl/protocol';
import { fields, list, string } from '../fields.ts';

/** Keywords that bound values: the API refuses them, so the model is told of them in words instead. */
const bounds = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
  'minItems',
  'maxItems',
  'uniqueItems',
  'not',
] as const;
const kept = ['$ref', 'type', 'enum', 'const', 'default', 'title'] as const;
/** Formats that the API enforces. */
const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid']);
/** With more optional properties than these the API fails to compile a schema; its documented limit is higher. */
const maxOptional = 10;

/**
 * A schema as the API takes it, or null if it cannot be said: objects with any other property, recursion, and too many
 * optional properties. Source: https://platform.claude.com/docs/en/build-with-claude/structured-outputs.
 */
export function enforceable(schema: JsonObject): JsonObject | null {
  let optional = 0;
  let isPossible = true;

  function convert(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) {
      // `true` allows anything, which cannot be enforced.
      isPossible = false;
      return {};
    }
    const source = fields(value);
    const result: { [key: string]: unknown } = {};
    for (const key of kept) if (source[key] !== undefined) result[key] = source[key];
    if (formats.has(string(source.format))) result.format = source.format;
    const said = bounds
      .filter((key) => source[key] !== undefined)
      .map((key) => `${key}: ${JSON.stringify(source[key])}`);
    const description = [string(source.description), said.join(', ')].filter((text) => text !== '').join('; ');
    if (description !== '') result.description = description;
    const choices = source.anyOf ?? source.oneOf;
    if (choices !== undefined) result.anyOf = list(choices).map(convert);
    if (source.allOf !== undefined) result.allOf = list(source.allOf).map(convert);
    if (source.items !== undefined) result.items = convert(source.items);
    if (source.prefixItems !== undefined || source.patternProperties !== undefined) isPossible = false;
    for (const key of ['$defs', 'definitions']) if (source[key] !== undefined) result[key] = byName(source[key]);
    if (source.properties !== undefined || source.type === 'object') addProperties(source, result);
    return result;
  }

  function byName(schemas: unknown): object {
    return Object.fromEntries(Object.entries(fields(schemas)).map(([name, inner]) => [name, convert(inner)]));
  }

  function addProperties(source: { [key: string]: unknown }, result: { [key: string]: unknown }): void {
    const properties = fields(source.properties);
    const names = Object.keys(properties);
    const open = source.additionalProperties;
    if (names.length === 0 ? open !== false : open !== undefined && open !== false) isPossible = false;
    const required = list(source.required).filter((name) => typeof name === 'string');
    optional += names.filter((name) => !required.includes(name)).length;
    result.properties = byName(properties);
    result.required = required;
    result.additionalProperties = false;
  }

  const converted = convert(schema) as JsonObject;
  return isPossible && optional <= maxOptional && !isRecursive(schema) ? converted : null;
}

/** Whether a definition leads back to itself, or a reference leads somewhere else than to a definition. */
function isRecursive(schema: JsonObject): boolean {
  const definitions = new Map<string, unknown>();
  for (const key of ['$defs', 'definitions']) {
    for (const [name, inner] of Object.entries(fields(schema[key]))) definitions.set(`#/${key}/${name}`, inner);
  }
  const leadsBack = (value: unknown, path: readonly string[]): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    const reference = fields(value).$ref;
    if (typeof reference === 'string') {
      if (path.includes(reference) || !definitions.has(reference)) return true;
      if (leadsBack(definitions.get(reference), [...path, reference])) return true;
    }
    return Object.values(value).some((inner) => leadsBack(inner, path));
  };
  const { $defs: _defs, definitions: _definitions, ...root } = schema;
  return leadsBack(root, []);
}
