import type { JsonObject } from '@pawl/protocol';
import { fields, list } from '../fields.ts';

/** Keywords that the API enforces, or that bind nothing. */
const known: ReadonlySet<string> = new Set([
  ...['$schema', '$defs', 'definitions', '$ref', 'title', 'description', 'type', 'enum', 'const', 'anyOf'],
  ...['properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems', 'pattern', 'format'],
  ...['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
]);
const formats: ReadonlySet<unknown> = new Set([
  undefined,
  ...['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'],
]);

/** Whether the API can hold an answer to a schema at all: its root must be an object. */
export function isEnforceable(schema: JsonObject): boolean {
  return schema.type === 'object' && schema.anyOf === undefined;
}

/**
 * Whether the API can hold an answer to all of a schema: every property required, no others, and only known keywords.
 * Else it tries its best. Source: https://developers.openai.com/api/docs/guides/structured-outputs#supported-schemas.
 */
export function isStrict(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { properties, required, additionalProperties, type, items, anyOf, format, $defs, definitions } = fields(schema);
  if (!Object.keys(schema).every((key) => known.has(key)) || !formats.has(format)) return false;
  if (type === 'object' || properties !== undefined) {
    const names = list(required);
    if (additionalProperties !== false || !Object.keys(fields(properties)).every((name) => names.includes(name))) {
      return false;
    }
  }
  const inner = [...[properties, $defs, definitions].flatMap((named) => Object.values(fields(named))), ...list(anyOf)];
  if (items !== undefined) inner.push(items);
  return inner.every(isStrict);
}
