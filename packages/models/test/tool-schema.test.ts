import type { Json, JsonObject } from '@pawl/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { anthropic, google, openai, openaiChat } from '../src/index.ts';
import { type WireServer, wireServer } from '../src/testing/index.ts';
import { takenSchema } from '../src/wires/tool-schema.ts';
import { call, request, user } from './support.ts';

let server: WireServer | undefined;
afterEach(() => server?.close());

const openers = { anthropic, openai, openaiChat, google };

async function sent(wire: keyof typeof openers, inputSchema: JsonObject, more: object[] = []) {
  server = await wireServer([{ text: 'ok' }]);
  const model = openers[wire]({ model: 'm', apiKey: 'k', baseUrl: server.url, environment: {} });
  const tools = [{ name: 'find', description: 'Finds.', inputSchema }, ...(more as never[])];
  const events = await call(model, request([user('?')], { tools }));
  return { tools: server.requests[0]?.body.tools as JsonObject[], events };
}

const at = (value: Json | undefined, ...path: (string | number)[]): Json | undefined =>
  path.reduce<Json | undefined>((inner, key) => (inner as { [key: string | number]: Json } | undefined)?.[key], value);

const schemaIn = {
  anthropic: (tool: JsonObject | undefined) => at(tool, 'input_schema'),
  openai: (tool: JsonObject | undefined) => at(tool, 'parameters'),
  openaiChat: (tool: JsonObject | undefined) => at(tool, 'function', 'parameters'),
  google: (tool: JsonObject | undefined) => at(tool, 'functionDeclarations', 0, 'parametersJsonSchema'),
};

const path = { type: 'string' } as const;
const either: JsonObject = {
  type: 'object',
  properties: { limit: { type: 'integer' } },
  required: ['limit'],
  anyOf: [
    { properties: { path, kind: { const: 'file' } }, required: ['path', 'kind'] },
    { properties: { url: path, kind: { const: 'page' } }, required: ['url', 'kind'] },
  ],
};

describe('M1: a schema of a tool that providers refuse', () => {
  it.each(['anthropic', 'openai', 'openaiChat', 'google'] as const)(
    'with a choice at its root is sent over %s as one object, with the choice in words',
    async (wire) => {
      const { tools } = await sent(wire, either);
      expect(schemaIn[wire](tools[0])).toEqual({
        type: 'object',
        description: `The input must also satisfy this JSON Schema: ${JSON.stringify({ anyOf: either.anyOf })}`,
        properties: {
          limit: { type: 'integer' },
          path,
          url: path,
          kind: { anyOf: [{ const: 'file' }, { const: 'page' }] },
        },
        required: ['limit', 'kind'],
      });
    },
  );

  it('without items in an array may have anything in it, wherever the array stands', () => {
    const array = { type: 'array' };
    const nested: JsonObject = { type: 'object', properties: { a: array, b: { anyOf: [array, { type: 'null' }] } } };
    expect(takenSchema(nested)).toEqual({
      type: 'object',
      properties: { a: { type: 'array', items: {} }, b: { anyOf: [{ type: 'array', items: {} }, { type: 'null' }] } },
    });
    const pair: JsonObject = {
      type: 'object',
      properties: { a: { type: 'array', items: [path, { type: 'number' }] } },
    };
    expect(takenSchema(pair)).toEqual({
      type: 'object',
      properties: { a: { type: 'array', items: { anyOf: [path, { type: 'number' }] } } },
    });
  });

  it('put together by allOf, or by reference, is one object with all that it asks for', () => {
    const schema: JsonObject = {
      $defs: { page: { type: 'object', properties: { page: { type: 'integer' } }, required: ['page'] } },
      allOf: [{ $ref: '#/$defs/page' }, { properties: { path }, required: ['path'] }],
    };
    expect(takenSchema(schema)).toEqual({
      $defs: schema.$defs,
      type: 'object',
      properties: { page: { type: 'integer' }, path },
      required: ['page', 'path'],
    });
    const { type, properties, required } = takenSchema({ $ref: '#/$defs/page', $defs: schema.$defs ?? {} });
    expect({ type, properties, required }).toEqual({
      type: 'object',
      properties: { page: { type: 'integer' } },
      required: ['page'],
    });
  });

  it('that leads back to itself ends', () => {
    const loop: JsonObject = { $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' };
    expect(takenSchema(loop).type).toBe('object');
  });

  it('stays as it is, to the byte, where nothing is wrong with it', () => {
    const plain: JsonObject = {
      type: 'object',
      properties: { list: { type: 'array', items: path }, items: { type: 'string' }, type: { enum: ['array'] } },
      required: ['list'],
      additionalProperties: false,
    };
    expect(takenSchema(plain)).toBe(plain);
  });

  it('without properties has none over OpenAI’s APIs, which want them named', async () => {
    for (const wire of ['openai', 'openaiChat'] as const) {
      const { tools } = await sent(wire, { type: 'object' });
      expect(schemaIn[wire](tools[0])).toEqual({ type: 'object', properties: {} });
      await server?.close();
    }
  });

  it('with a name that Anthropic takes nowhere leaves its tool out, and the others in', async () => {
    const odd = { name: 'odd', description: 'Odd.', inputSchema: { type: 'object', properties: { 'a b': path } } };
    const { tools, events } = await sent('anthropic', { type: 'object', properties: { path } }, [odd]);
    expect(tools.map(({ name }) => name)).toEqual(['find']);
    expect(events).toContainEqual({
      type: 'notice',
      level: 'info',
      code: 'tool_left_out',
      message: expect.stringContaining('The tool odd is not offered') as string,
    });
  });
});
