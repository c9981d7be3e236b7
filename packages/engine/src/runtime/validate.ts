import { type Json, type JsonObject, messageOf, PawlError } from '@pawl/protocol';
import type { ErrorObject } from 'ajv';
import type { InputSchema, Tool } from '../ports.ts';
import { isStandardSchema } from './registry.ts';
import { findProblems, isSimpleSchema } from './simple-schema.ts';

/** The arguments as the tool shall get them, or what was wrong with them, for the model to read. */
export type ValidatedInput = { ok: true; value: JsonObject } | { ok: false; message: string };

type Check = (value: JsonObject) => Promise<ValidatedInput> | ValidatedInput;
const checks = new WeakMap<Tool, Check>();
const mostProblems = 8;

/**
 * Holds a call's arguments against the tool's schema. A Standard Schema may also change them (defaults, transforms).
 * @throws `bad_tool` when the schema itself is wrong.
 */
export async function validateInput(tool: Tool, input: JsonObject): Promise<ValidatedInput> {
  let check = checks.get(tool);
  if (check === undefined) {
    check = await compile(tool);
    checks.set(tool, check);
  }
  return check(input);
}

async function compile(tool: Tool): Promise<Check> {
  const { input } = tool;
  if (isStandardSchema(input)) return (value) => checkByLibrary(tool, input, value);
  const { $schema: _, ...schema } = input;
  if (isSimpleSchema(schema)) {
    return (value) => {
      const problems = findProblems(schema, value);
      return problems.length === 0 ? { ok: true, value } : refuse(tool, problems);
    };
  }
  return compileWithAjv(tool, schema);
}

function refuse(tool: Tool, problems: readonly string[]): ValidatedInput {
  const shown = problems.slice(0, mostProblems).map((problem) => `- ${problem}`);
  if (problems.length > mostProblems) shown.push(`- and ${problems.length - mostProblems} more`);
  return {
    ok: false,
    message: `The arguments of ${tool.name} are not valid, so nothing was done:\n${shown.join('\n')}`,
  };
}

async function checkByLibrary(tool: Tool, schema: InputSchema, value: JsonObject): Promise<ValidatedInput> {
  const result = await schema['~standard'].validate(value);
  if (result.issues === undefined) return { ok: true, value: result.value as JsonObject };
  const problems = result.issues.map(({ message, path = [] }) => {
    const keys = path.map((segment) => (typeof segment === 'object' ? segment.key : segment));
    return keys.length === 0 ? message : `"${placeOf(keys.map(String))}": ${message}`;
  });
  return refuse(tool, problems);
}

/** `a.b[0].c` from the keys that lead there. */
const placeOf = (keys: readonly string[]) =>
  keys.reduce((place, key) => (/^[0-9]+$/.test(key) ? `${place}[${key}]` : place === '' ? key : `${place}.${key}`), '');

async function compileWithAjv(tool: Tool, schema: JsonObject): Promise<Check> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  try {
    const validate = new Ajv2020({ strict: false, allErrors: true, logger: false, verbose: true }).compile(schema);
    return (value) => (validate(value) ? { ok: true, value } : refuse(tool, (validate.errors ?? []).map(sentenceOf)));
  } catch (error) {
    throw new PawlError('bad_tool', `The schema of the tool "${tool.name}" is wrong: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function sentenceOf({ instancePath, keyword, params, message, data }: ErrorObject): string {
  const keys = instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const at = keys.length === 0 ? 'the arguments' : `"${placeOf(keys)}"`;
  switch (keyword) {
    case 'required':
      return `"${placeOf([...keys, String(params.missingProperty)])}" is missing`;
    case 'additionalProperties':
      return `"${placeOf([...keys, String(params.additionalProperty)])}" is not an argument`;
    case 'enum':
      return `${at} must be one of ${(params.allowedValues as Json[]).map((value) => JSON.stringify(value)).join(', ')}`;
    case 'type':
      return `${at} ${message}, not ${JSON.stringify(data)?.slice(0, 60)}`;
    default:
      return `${at} ${message}`;
  }
}
