import type { OutputUnit } from '@cfworker/json-schema';
import type { Json, JsonObject } from '@pawl/protocol';
import type { InputSchema, Tool } from '../ports.ts';
import { isStandardSchema } from './registry.ts';

/** The arguments as the tool shall get them, or what was wrong with them, for the model to read. */
export type ValidatedInput = { ok: true; value: JsonObject } | { ok: false; message: string };

type Check = (value: JsonObject) => Promise<ValidatedInput> | ValidatedInput;
const checks = new WeakMap<Tool, Check>();
const maxProblems = 8;

/** Holds a call's arguments against the tool's schema. A Standard Schema may also change them (defaults, transforms). */
export async function validateInput(tool: Tool, input: JsonObject): Promise<ValidatedInput> {
  let check = checks.get(tool);
  if (check === undefined) {
    check = await checkOf(tool);
    checks.set(tool, check);
  }
  // A copy: what a tool does to its arguments must not change the history.
  return check(copyOf(input));
}

function copyOf<Value extends Json>(value: Value): Value;
function copyOf(value: Json): Json {
  if (Array.isArray(value)) return value.map(copyOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, copyOf(entry)]));
}

async function checkOf(tool: Tool): Promise<Check> {
  const { input } = tool;
  if (isStandardSchema(input)) return (value) => checkByLibrary(tool, input, value);
  const { Validator } = await import('@cfworker/json-schema');
  const validator = new Validator(input, draftOf(input), false);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    return valid ? { ok: true, value } : refuse(tool, errors.flatMap(sentenceOf));
  };
}

function refuse(tool: Tool, problems: readonly string[]): ValidatedInput {
  const message = `The arguments of ${tool.name} are not valid, so nothing was done:\n${listOf(problems)}`;
  return { ok: false, message };
}

function listOf(problems: readonly string[]): string {
  const shown = problems.slice(0, maxProblems).map((problem) => `- ${problem}`);
  if (problems.length > maxProblems) shown.push(`- and ${problems.length - maxProblems} more`);
  return shown.join('\n');
}

/** What keeps a value from satisfying a JSON Schema, a line each; empty if nothing does. @throws when it is none. */
export async function schemaProblems(schema: JsonObject, value: Json): Promise<string> {
  const { Validator } = await import('@cfworker/json-schema');
  const { valid, errors } = new Validator(schema, draftOf(schema), false).validate(value);
  if (valid) return '';
  const found = errors.flatMap(sentenceOf);
  return listOf(found.length > 0 ? found : errors.map(({ error }) => error));
}

const draftOf = ({ $schema }: JsonObject) => ($schema?.toString().includes('draft-07') ? '7' : '2020-12');

async function checkByLibrary(tool: Tool, schema: InputSchema, value: JsonObject): Promise<ValidatedInput> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value as JsonObject };
  const problems = result.issues.map(({ message, path = [] }) => {
    const keys = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment));
    return `${placeOf(keys)}${message}`;
  });
  return refuse(tool, problems);
}

/** Keywords whose errors only say that something inside them failed, which has an error of its own. */
const containers = new Set(['properties', 'items', 'prefixItems', 'additionalProperties', '$ref', 'allOf']);

function sentenceOf({ keyword, instanceLocation, error }: OutputUnit): string[] {
  if (containers.has(keyword)) return [];
  const keys = instanceLocation
    .split('/')
    .slice(1)
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));
  return [`${placeOf(keys)}${keyword === 'false' ? 'There is no such argument.' : error}`];
}

/** `"a.b[0]": ` from the keys that lead there; nothing at the top. */
function placeOf(keys: readonly string[]): string {
  if (keys.length === 0) return '';
  const place = keys.reduce((path, key) => {
    if (/^[0-9]+$/.test(key)) return `${path}[${key}]`;
    return path === '' ? key : `${path}.${key}`;
  }, '');
  return `"${place}": `;
}
