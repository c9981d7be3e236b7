import type { AssistantPart, JsonObject, Message } from '@pawl/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenaiOptions, openai } from '../src/index.ts';
import { type WireAnswer, type WireServer, wireServer } from '../src/testing/index.ts';
import { traitsOf } from '../src/wires/openai-responses/traits.ts';
import { answerOf, assistant, request, results, thrownBy, user } from './support.ts';

let server: WireServer;
afterEach(() => server?.close());

async function modelOn(script: WireAnswer[], options: Partial<OpenaiOptions> = {}) {
  await server?.close();
  server = await wireServer(script);
  return openai({ model: 'm', apiKey: 'secret', baseUrl: `${server.url}/v1`, environment: {}, ...options });
}

/** A model at OpenAI's own address, which a proxy leads to this machine. */
async function modelAtOpenai(model: string, options: Partial<OpenaiOptions> = {}) {
  await server?.close();
  server = await wireServer(() => ({ text: 'ok' }));
  return openai({
    model,
    apiKey: 'secret',
    baseUrl: 'http://api.openai.com/v1',
    environment: { http_proxy: server.url },
    ...options,
  });
}

/** The body of the one request that is made for these messages. */
async function bodyOf(messages: readonly Message[], options: Partial<OpenaiOptions> = {}, more = {}) {
  await answerOf(await modelOn([{ text: 'ok' }], options), request(messages, more));
  return server.requests[0]?.body ?? {};
}

async function bodyAtOpenai(model: string, options: Partial<OpenaiOptions> = {}, more = {}) {
  await answerOf(await modelAtOpenai(model, options), request([user('Hi')], more));
  return server.requests[0]?.body ?? {};
}

const tools = [{ name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }];
const own = 'openai/m';
const call: AssistantPart = { type: 'tool_call', id: 't1_s1_c1', tool: 'read', input: { path: 'a' } };

describe('M1: the body of a Responses request', () => {
  it('is this, byte for byte', async () => {
    const model = await modelOn([{ text: 'ok' }]);
    const messages = [
      user('Read a.txt'),
      assistant(
        [
          { type: 'thinking', text: 'Hm.', signature: 'rs_1' },
          { type: 'thinking', text: '\n\nYes.', signature: 'rs_1', opaque: 'sealed' },
          { type: 'text', text: 'I look.', signature: 'commentary' },
          call,
        ],
        own,
      ),
      results({ call: 't1_s1_c1', tool: 'read', content: 'Grüße' }),
      user('  '),
    ];
    await answerOf(model, request(messages, { system: 'Be brief.', tools, tail: 'Step 2 of 9.' }));
    expect(server.requests[0]?.raw).toBe(
      '{"model":"m","max_output_tokens":1000,"stream":true,"store":false,"include":["reasoning.encrypted_content"],' +
        '"prompt_cache_key":"s","instructions":"Be brief.",' +
        '"tools":[{"type":"function","name":"read","description":"Reads a file.","parameters":{"type":"object","properties":{}},"strict":false}],' +
        '"input":[{"role":"user","content":[{"type":"input_text","text":"Read a.txt"}]},' +
        '{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm."},{"type":"summary_text","text":"Yes."}],' +
        '"encrypted_content":"sealed"},{"role":"assistant","content":"I look.","phase":"commentary"},' +
        '{"type":"function_call","call_id":"t1_s1_c1","name":"read","arguments":"{\\"path\\":\\"a\\"}"},' +
        '{"type":"function_call_output","call_id":"t1_s1_c1","output":"Grüße"},' +
        '{"role":"user","content":[{"type":"input_text","text":"Step 2 of 9."}]}]}',
    );
    expect(server.requests[0]?.headers.authorization).toBe('Bearer secret');
  });

  it('is valid with a system prompt alone, and with nothing', async () => {
    const model = await modelOn([{ text: 'ok' }, { text: 'ok' }]);
    await answerOf(model, request([], { system: 'Be brief.' }));
    await answerOf(model, request([]));
    expect(server.requests.map(({ body }) => [body.instructions, body.input])).toEqual([
      ['Be brief.', []],
      [undefined, []],
    ]);
  });

  it.each([
    ['auto', undefined],
    ['required', 'required'],
    ['none', 'none'],
    [{ tool: 'read' }, { type: 'function', name: 'read' }],
  ] as const)('with tool choice %j says %j', async (toolChoice, said) => {
    expect((await bodyOf([user('Hi')], {}, { tools, toolChoice })).tool_choice).toEqual(said);
  });

  it('names no tool choice where there is no tool', async () => {
    expect((await bodyOf([user('Hi')], {}, { toolChoice: 'required' })).tool_choice).toBeUndefined();
  });

  it('writes names that the API would refuse as it takes them, and keeps a malformed call', async () => {
    const parts: AssistantPart[] = [
      { type: 'tool_call', id: 'a', tool: 'multi_tool_use.parallel', input: {}, malformed: '{"x":' },
      { type: 'tool_call', id: 'b', tool: '', input: {} },
    ];
    const { input } = await bodyOf([user('Hi'), assistant(parts, own)]);
    expect((input as { name?: string; arguments?: string }[]).slice(1)).toMatchObject([
      { name: 'multi_tool_use_parallel', arguments: '{}' },
      { name: 'unknown' },
    ]);
  });

  it('asks for no fewer tokens than the API allows', async () => {
    expect((await bodyOf([user('Hi')], {}, { maxOutputTokens: 1 })).max_output_tokens).toBe(16);
  });
});

describe('M10: parameters', () => {
  it('are sent where the API has them', async () => {
    const parameters = { effort: 'high', verbosity: 'low', temperature: 0.5, topP: 0.9, stopSequences: ['x'] };
    expect(await bodyOf([user('Hi')], { parameters })).toMatchObject({
      reasoning: { effort: 'high' },
      text: { verbosity: 'low' },
      temperature: 0.5,
      top_p: 0.9,
    });
  });

  it('of the body win over all but the conversation', async () => {
    const body: JsonObject = {
      model: 'n',
      tools: [],
      instructions: 'No.',
      input: 'x',
      stream: false,
      service_tier: 'flex',
    };
    const sent = await bodyOf([user('Hi')], { parameters: { body } }, { system: 'Yes.', tools });
    expect(sent).toMatchObject({ model: 'n', tools: [], instructions: 'No.', stream: true, service_tier: 'flex' });
    expect(sent.input).toHaveLength(1);
    expect(server.requests[0]?.raw.match(/"tools":/g)).toHaveLength(1);
  });

  it.each([
    ['gpt-5.6-sol', {}, { reasoning: { summary: 'auto' } }],
    ['gpt-5.6-sol', { effort: 'high' }, { reasoning: { effort: 'high', summary: 'auto' } }],
    ['gpt-5.6-sol', { thinkingBudgetTokens: 0 }, { reasoning: { effort: 'none' } }],
    ['gpt-5.6-sol', { temperature: 1, topP: 1 }, { reasoning: { summary: 'auto' } }],
    ['gpt-5.2', { effort: 'none', temperature: 1 }, { reasoning: { effort: 'none' }, temperature: 1 }],
    ['gpt-5', { thinkingBudgetTokens: 0 }, { reasoning: { effort: 'minimal', summary: 'auto' } }],
    ['o3', { thinkingBudgetTokens: 0 }, { reasoning: { effort: 'low', summary: 'auto' } }],
    ['gpt-4.1', { effort: 'high', verbosity: 'low', temperature: 1 }, { temperature: 1 }],
  ])('at OpenAI, %s with %j is asked for %j and nothing that it refuses', async (model, parameters, said) => {
    const body = await bodyAtOpenai(model, { parameters });
    const { reasoning, temperature, top_p, text } = body;
    expect({ reasoning, temperature, top_p, text }).toEqual({ ...said });
    expect(body.include).toEqual(model === 'gpt-4.1' ? undefined : ['reasoning.encrypted_content']);
  });

  it.each([
    ['gpt-5.5', 'https://api.openai.com', false],
    ['gpt-5.6-sol', 'https://api.openai.com', true],
    ['gpt-5.6-sol', 'https://eu.api.openai.com', true],
    ['gpt-5.10', 'https://api.openai.com', true],
    ['gpt-6-astra', 'https://api.openai.com', true],
    ['o3', 'https://api.openai.com', false],
    ['gpt-5.6', 'https://x.openai.azure.com', false],
    ['openai/gpt-5.6', 'https://openrouter.ai', false],
    ['gpt-5.6', 'https://api.openai.com.example.org', false],
  ])('%s at %s takes cache marks: %s', (model, address, hasMarks) => {
    expect(traitsOf(model, new URL(address), null).hasMarks).toBe(hasMarks);
  });

  it('are left to Azure where only its owner knows what a model is', () => {
    expect(traitsOf('prod', new URL('https://x.openai.azure.com'), null)).toEqual({
      isOpenai: true,
      thinks: null,
      hasMarks: false,
    });
  });
});

describe('a schema of the answer', () => {
  const strict = {
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { type: 'array', items: { anyOf: [{ type: 'number' }, { type: 'null' }] } },
    },
    required: ['a', 'b'],
    additionalProperties: false,
  };
  it.each([
    ['whole', strict, true],
    ['with an optional property', { ...strict, required: ['a'] }, false],
    ['open', { type: 'object', properties: {} }, false],
    ['with a keyword that the API does not enforce', { ...strict, allOf: [] }, false],
    ['with an open object inside', { ...strict, $defs: { x: { type: 'object' } } }, false],
  ])('that is %s is strict: %s', async (_kind, outputSchema, isStrict) => {
    expect((await bodyOf([user('Hi')], {}, { outputSchema })).text).toEqual({
      format: { type: 'json_schema', name: 'answer', schema: outputSchema, strict: isStrict },
    });
  });

  it('that is no object is said in words, after all else', async () => {
    const body = await bodyOf([user('Hi')], {}, { outputSchema: { type: 'array' }, tail: 'Step 1.' });
    expect(body.text).toBeUndefined();
    const [, tail, schema] = body.input as { content: { text: string }[] }[];
    expect(tail?.content[0]?.text).toBe('Step 1.');
    expect(schema?.content[0]?.text).toContain('{"type":"array"}');
  });
});

describe('the address and key of a Responses model', () => {
  it('come from the environment, and no key is needed for another address than OpenAI’s', async () => {
    await server?.close();
    server = await wireServer([{ text: 'ok' }]);
    const seen: string[] = [];
    const model = openai({
      model: 'm',
      environment: { OPENAI_BASE_URL: `${server.url}/v1/` },
      onHeaders: (headers) => seen.push(String(headers['content-type'])),
    });
    await answerOf(model, request([user('Hi')]));
    expect(server.requests[0]?.wire).toBe('openai-responses');
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
    expect(seen).toEqual(['text/event-stream']);
  });

  it('may have a query, as Azure wants it, and a header in place of the key', async () => {
    await server?.close();
    server = await wireServer([{ text: 'ok' }]);
    const baseUrl = `${server.url}/openai/v1?api-version=preview`;
    const model = openai({ model: 'm', baseUrl, headers: { 'api-key': 'k' }, environment: {} });
    await answerOf(model, request([user('Hi')]));
    expect(server.requests[0]?.headers['api-key']).toBe('k');
  });

  it('say what to do when the key is missing', async () => {
    const model = openai({ model: 'm', environment: {} });
    const error = await thrownBy((async () => answerOf(model, request([user('Hi')])))());
    expect(error).toMatchObject({ code: 'no_key', message: expect.stringContaining('OPENAI_API_KEY') as string });
  });
});
