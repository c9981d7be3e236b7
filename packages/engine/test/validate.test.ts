import type { JsonObject } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Tool } from '../src/ports.ts';
import { validateInput } from '../src/registry/validate.ts';

const tool = (input: Tool['input']): Tool => ({
  name: 't',
  description: '',
  input,
  effect: 'read',
  run: async () => ({ content: '' }),
});
const problemsOf = async (input: Tool['input'], value: JsonObject) => {
  const result = await validateInput(tool(input), value);
  return result.ok ? [] : result.message.split('\n').slice(1);
};

const plain: JsonObject = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    limit: { type: 'integer', minimum: 1, maximum: 10 },
    mode: { type: 'string', enum: ['a', 'b'] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 2 },
    deep: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
  },
  required: ['path'],
  additionalProperties: false,
};

describe('the arguments of a call', () => {
  it('are taken as they are when they are valid', async () => {
    const value = { path: 'x', limit: 3, mode: 'a', tags: ['y'], deep: { on: true, more: 1 } };
    expect(await validateInput(tool(plain), value)).toEqual({ ok: true, value });
  });

  it.each([
    [{}, '- Instance does not have required property "path".'],
    [{ path: 5 }, '- "path": Instance type "number" is invalid. Expected "string".'],
    [{ path: '' }, '- "path": String is too short (0 < 1).'],
    [{ path: 'x', limit: 1.5 }, '- "limit": Instance type "number" is invalid. Expected "integer".'],
    [{ path: 'x', limit: 11 }, '- "limit": 11 is greater than 10.'],
    [{ path: 'x', mode: 'c' }, '- "mode": Instance does not match any of ["a","b"].'],
    [{ path: 'x', tags: ['a', null] }, '- "tags[1]": Instance type "null" is invalid. Expected "string".'],
    [{ path: 'x', deep: {} }, '- "deep": Instance does not have required property "on".'],
    [{ path: 'x', 'a/b': [] }, '- "a/b": There is no such argument.'],
    [JSON.parse('{"path":"x","__proto__":1}') as JsonObject, '- "__proto__": There is no such argument.'],
  ])('%j are refused, saying where and why', async (value, problem) => {
    expect(await problemsOf(plain, value)).toEqual([problem]);
  });

  it('are held against any JSON Schema there is', async () => {
    const schema: JsonObject = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { at: { type: 'array', items: { $ref: '#/definitions/place' } }, kind: { enum: [1, 2] } },
      required: ['kind'],
      definitions: { place: { oneOf: [{ type: 'string', pattern: '^a' }, { type: 'number' }] } },
    };
    expect(await problemsOf(schema, { kind: 1, at: ['ab', 5] })).toEqual([]);
    expect(await problemsOf(schema, { kind: 3 })).toEqual(['- "kind": Instance does not match any of [1,2].']);
    expect((await problemsOf(schema, { kind: 1, at: ['b'] })).join()).toContain('"at[0]"');
  });

  it('are checked by a schema library itself, with its defaults', async () => {
    const schema = z.object({
      path: z.string(),
      deep: z.object({ n: z.array(z.number()) }).optional(),
      limit: z.number().default(5),
    });
    expect(await validateInput(tool(schema), { path: 'x' })).toEqual({ ok: true, value: { path: 'x', limit: 5 } });
    expect((await problemsOf(schema, { path: 'x', deep: { n: ['y'] } }))[0]).toMatch(/^- "deep\.n\[0\]": /);
  });

  it('say no more than eight things at once', async () => {
    const value = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`x${index}`, 1]));
    expect(await problemsOf(plain, { path: 'x', ...value })).toHaveLength(9);
  });
});
