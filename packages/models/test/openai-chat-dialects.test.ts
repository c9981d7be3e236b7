import type { ModelRequest } from '@pawl/engine';
import type { AssistantPart, FilePart, JsonObject, Message } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import type { Parameters } from '../src/parameters.ts';
import { createModels, type ModelsSettings } from '../src/select.ts';
import { wireServer } from '../src/testing/index.ts';
import { createBodyMaker } from '../src/wires/openai-chat/body.ts';
import { dialectOf } from '../src/wires/openai-chat/dialects.ts';
import { readText, sse } from './streams.ts';
import { answerOf, assistant, request, results, user } from './support.ts';

const own = 'openai-chat/m';
const tools = [{ name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }];
type Body = JsonObject & { messages: JsonObject[] };

/** The body that a server at `host` would be sent. */
function bodyFor(
  host: string,
  messages: Message[],
  { model = 'm', parameters = {}, ...asked }: Partial<ModelRequest> & { parameters?: Parameters } = {},
): Body {
  const make = createBodyMaker({
    model,
    id: `openai-chat/${model}`,
    isStreaming: true,
    parameters,
    dialect: dialectOf(host, model),
    cache: '5m',
    takes: () => null,
  });
  return JSON.parse(Buffer.concat(make(request(messages, asked))).toString('utf8')) as Body;
}

const reading: AssistantPart = { type: 'tool_call', id: 't1_s1_c1', tool: 'read', input: {} };
const result = results({ call: 't1_s1_c1', tool: 'read', content: 'x' });

describe('M1: dialects of Chat Completions', () => {
  it.each([
    ['api.openai.com', 'max_completion_tokens', true],
    ['pawl.openai.azure.com', 'max_completion_tokens', true],
    ['localhost', 'max_tokens', true],
    ['openrouter.ai', 'max_tokens', true],
    ['api.mistral.ai', 'max_tokens', false],
    ['notopenrouter.ai.example', 'max_tokens', true],
  ])('at %s the limit is %s, and the usage of a stream is asked for: %j', (host, field, asksUsage) => {
    const body = bodyFor(host, [user('?')]);
    expect(body[field]).toBe(1000);
    expect(body.stream_options !== undefined).toBe(asksUsage);
  });

  it('one wants short ids of calls, the same for call and result, and none but the model to speak after a result', () => {
    const body = bodyFor('api.mistral.ai', [user('?'), assistant([reading], own), result], { tail: 'Step 2.' });
    const [, asked, answered, bridge, tail] = body.messages;
    const id = answered?.tool_call_id;
    expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(asked?.tool_calls).toMatchObject([{ id }]);
    expect([bridge?.role, tail]).toEqual(['assistant', { role: 'user', content: 'Step 2.' }]);
    const usual = bodyFor('localhost', [user('?'), assistant([reading], own), result], { tail: 'Step 2.' });
    expect(usual.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(usual.messages[2]?.tool_call_id).toBe('t1_s1_c1');
    const spoken = bodyFor('api.mistral.ai', [user('?'), assistant([reading], own), result, user('And?')]);
    expect(spoken.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  it('one finds its cache by the session, one is asked to keep the prompt, others do so unasked', () => {
    expect(bodyFor('api.openai.com', [user('?')]).prompt_cache_key).toBe('s');
    expect(bodyFor('localhost', [user('?')]).prompt_cache_key).toBeUndefined();
    const marked = bodyFor('openrouter.ai', [user('?')], { model: 'anthropic/claude-opus-5' });
    expect(marked.cache_control).toEqual({ type: 'ephemeral' });
    expect(bodyFor('openrouter.ai', [user('?')], { model: 'z-ai/glm' }).cache_control).toBeUndefined();
  });
});

describe('M3: reasoning over Chat Completions', () => {
  const thought = (signature: string, more: object = {}): AssistantPart => ({
    type: 'thinking',
    text: 'Hm.',
    signature,
    ...more,
  });
  const echoed = (host: string, part: AssistantPart, asked: Partial<ModelRequest> = {}) =>
    bodyFor(host, [user('?'), assistant([part, { type: 'text', text: 'So.' }, reading], own), result], asked)
      .messages[1];

  it('goes back in the field it came in, to its model, from where it holds', () => {
    expect(echoed('localhost', thought('reasoning'))).toMatchObject({ reasoning: 'Hm.', content: 'So.' });
    expect(echoed('localhost', thought('reasoning_content'))).toMatchObject({ reasoning_content: 'Hm.' });
    expect(echoed('localhost', thought('something else'))).not.toHaveProperty('something else');
    expect(echoed('localhost', thought('reasoning'), { signedFrom: 2 })).not.toHaveProperty('reasoning');
    expect(echoed('localhost', thought('reasoning'), { model: 'other' })).not.toHaveProperty('reasoning');
    expect(echoed('localhost', thought('content'))?.content).toEqual([
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: 'So.' },
    ]);
  });

  it('stands at every call where a server wants it, be it empty', () => {
    expect(echoed('api.deepseek.com', thought('reasoning_content'))?.reasoning_content).toBe('Hm.');
    expect(echoed('api.deepseek.com', thought('reasoning_content'), { model: 'other' })?.reasoning_content).toBe('');
    expect(echoed('localhost', thought('reasoning_content'), { model: 'other' })).not.toHaveProperty(
      'reasoning_content',
    );
  });

  it('in details is put together from its pieces, shown, and goes back whole', () => {
    const piece = (detail: object, more: object = {}) =>
      JSON.stringify({ choices: [{ index: 0, delta: { reasoning_details: [detail], ...more } }] });
    const { message } = readText(
      'openai-chat',
      sse([
        piece({ type: 'reasoning.text', index: 0, text: 'Let ', format: 'f' }, { reasoning: 'Let ' }),
        piece({ type: 'reasoning.text', index: 0, text: 'me see.' }, { reasoning: 'me see.' }),
        piece({ type: 'reasoning.text', index: 0, signature: 'sig' }),
        piece({ type: 'reasoning.encrypted', index: 1, id: 'a', data: 'sealed' }),
        piece({ type: 'reasoning.summary', index: 2, summary: ' Yes.' }),
        JSON.stringify({ choices: [{ index: 0, delta: { content: 'So.' }, finish_reason: 'stop' }] }),
      ]),
    );
    const details = [
      { type: 'reasoning.text', index: 0, text: 'Let me see.', format: 'f', signature: 'sig' },
      { type: 'reasoning.encrypted', index: 1, id: 'a', data: 'sealed' },
      { type: 'reasoning.summary', index: 2, summary: ' Yes.' },
    ];
    expect(message?.content).toEqual([
      { type: 'thinking', text: 'Let me see. Yes.', signature: 'reasoning_details', opaque: JSON.stringify(details) },
      { type: 'text', text: 'So.' },
    ]);
    const sent = echoed('openrouter.ai', thought('reasoning_details', { opaque: JSON.stringify(details) }));
    expect(sent?.reasoning_details).toEqual(details);
    expect(sent).not.toHaveProperty('reasoning');
    expect(echoed('openrouter.ai', thought('reasoning_details', { opaque: '{"cut' }))).not.toHaveProperty(
      'reasoning_details',
    );
  });

  it.each([
    ['localhost', { effort: 'high' }, { reasoning_effort: 'high' }],
    ['localhost', { thinkingBudgetTokens: 0 }, {}],
    ['openrouter.ai', { effort: 'low' }, { reasoning: { effort: 'low' } }],
    ['openrouter.ai', { thinkingBudgetTokens: 4000, effort: 'low' }, { reasoning: { max_tokens: 4000 } }],
    ['openrouter.ai', { thinkingBudgetTokens: 0 }, { reasoning: { enabled: false } }],
    ['api.deepseek.com', { effort: 'max' }, { thinking: { type: 'enabled' }, reasoning_effort: 'max' }],
    ['api.moonshot.ai', { effort: 'none' }, { thinking: { type: 'disabled' } }],
    ['dashscope-intl.aliyuncs.com', { thinkingBudgetTokens: 500 }, { enable_thinking: true, thinking_budget: 500 }],
    ['api.openai.com', {}, {}],
  ] as [string, Parameters, object][])('is asked of %s with %j as %j', (host, parameters, expected) => {
    const names = ['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking', 'thinking_budget'];
    const body = bodyFor(host, [user('?')], { parameters });
    expect(Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))).toEqual(expected);
  });
});

describe('M1: what a Chat Completions request asks for', () => {
  it.each([
    ['auto', undefined],
    ['required', 'required'],
    ['none', 'none'],
    [{ tool: 'read' }, { type: 'function', function: { name: 'read' } }],
  ] as const)('a tool choice of %j', (toolChoice, expected) => {
    expect(bodyFor('localhost', [user('?')], { tools, toolChoice }).tool_choice).toEqual(expected);
  });

  it('a forced call in words where the server refuses it', () => {
    const body = bodyFor('api.deepseek.com', [user('?')], { tools, toolChoice: 'required', tail: 'Step 2.' });
    expect([body.tool_choice, body.messages.at(-1)?.content]).toEqual([undefined, 'Step 2.\n\nCall a tool now.']);
  });

  it('an answer by a schema: to the letter where that can be, as JSON where no more can be', () => {
    const closed = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    const format = (host: string, outputSchema: JsonObject) => bodyFor(host, [user('?')], { outputSchema });
    expect(format('localhost', closed).response_format).toEqual({
      type: 'json_schema',
      json_schema: { name: 'answer', schema: closed, strict: true },
    });
    const open = { ...closed, required: [] };
    expect(format('localhost', open).response_format).toMatchObject({ json_schema: { strict: false } });
    const loose = format('api.deepseek.com', closed);
    expect(loose.response_format).toEqual({ type: 'json_object' });
    expect(loose.messages.at(-1)?.content).toContain(JSON.stringify(closed));
  });

  it('parameters, but none that the model refuses; and fields of the user’s own, which win', () => {
    const parameters: Parameters = {
      temperature: 0.5,
      topP: 0.9,
      stopSequences: ['a', 'b', 'c', 'd', 'e'],
      verbosity: 'low',
      body: { max_tokens: 7, seed: 1, messages: [], stream: false },
    };
    expect(bodyFor('localhost', [user('?')], { parameters })).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      stop: ['a', 'b', 'c', 'd'],
      verbosity: 'low',
      max_tokens: 7,
      seed: 1,
      stream: true,
      messages: [{ role: 'user', content: '?' }],
    });
    const steady = bodyFor('api.openai.com', [user('?')], { model: 'gpt-5.2', parameters });
    expect([steady.temperature, steady.top_p, steady.stop]).toEqual([undefined, undefined, undefined]);
  });
});

describe('M13: files over Chat Completions', () => {
  const file = (mediaType: string, name = 'x'): FilePart => ({
    type: 'file',
    mediaType,
    digest: 'd',
    sizeBytes: 3,
    name,
  });
  const given = (host: string, ...parts: FilePart[]) =>
    bodyFor(host, [{ role: 'user', source: 'input', content: [{ type: 'text', text: 'See' }, ...parts] }], {
      file: () => Buffer.from('abc'),
    }).messages[0]?.content;

  it('are images, documents, text, or words in their place', () => {
    expect(given('api.openai.com', file('image/png'), file('application/pdf', 'x.pdf'), file('text/csv'))).toEqual([
      { type: 'text', text: 'See' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,YWJj' } },
      { type: 'file', file: { filename: 'x.pdf', file_data: 'data:application/pdf;base64,YWJj' } },
      { type: 'text', text: '[file x]\nabc' },
    ]);
    expect(given('localhost', file('application/pdf'))).toEqual([
      { type: 'text', text: 'See' },
      { type: 'text', text: '[file x: this model takes no PDF]' },
    ]);
    expect(given('api.deepseek.com', file('image/png'))).toMatchObject([
      {},
      { text: '[file x: this model takes no image/png]' },
    ]);
    const lost = bodyFor('localhost', [{ role: 'user', source: 'input', content: [file('image/png')] }]);
    expect(lost.messages[0]?.content).toEqual([{ type: 'text', text: '[file x: its content is lost]' }]);
  });

  it('of results follow them all', () => {
    const two: Message = {
      role: 'tool',
      results: [
        { call: 'a', tool: 'read', status: 'ok', content: '', files: [file('image/png')] },
        { call: 'b', tool: 'list', status: 'ok', content: 'two' },
      ],
    };
    const calls = ['a', 'b'].map((id): AssistantPart => ({ type: 'tool_call', id, tool: 'read', input: {} }));
    const messages = [user('?'), assistant(calls, own), two];
    const sent = (host: string) => bodyFor(host, messages, { file: () => Buffer.from('abc') }).messages.slice(2);
    expect(sent('localhost')).toEqual([
      { role: 'tool', tool_call_id: 'a', name: 'read', content: 'See the files that follow.' },
      { role: 'tool', tool_call_id: 'b', name: 'list', content: 'two' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Files of the result of read:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,YWJj' } },
        ],
      },
    ]);
    expect(sent('api.mistral.ai').map(({ role }) => role)).toEqual(['tool', 'tool', 'assistant', 'user']);
  });
});

describe('M1: a dialect in the settings', () => {
  async function sentBy(settings: ModelsSettings, name: string): Promise<Body> {
    const server = await wireServer([{ text: 'ok' }]);
    const providers = {
      corp: { wire: 'openai-chat', baseUrl: `${server.url}/v1`, ...settings.providers?.corp },
    } as const;
    const models = createModels({ settings: { ...settings, providers }, environment: {} });
    const calling = [user('?'), assistant([reading], name), result];
    await answerOf(await models.modelFor(name), request(calling, { tail: 'Step 2.' }));
    await server.close();
    return server.requests[0]?.body as Body;
  }
  const callIds = ({ messages }: Body) =>
    messages.flatMap(({ tool_calls: calls = [] }) => (calls as JsonObject[]).map(({ id }) => id));

  it('is that of a known server behind another host, and what is otherwise', async () => {
    const dialect = { like: 'mistral', outputLimitField: 'max_completion_tokens' } as const;
    const body = await sentBy({ providers: { corp: { dialect } } }, 'corp/m');
    expect(callIds(body)).toEqual([expect.stringMatching(/^[a-z0-9]{9}$/)]);
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
    expect([body.max_completion_tokens, body.max_tokens, body.stream_options]).toEqual([1000, undefined, undefined]);
  });

  it('may be that of one model behind a gateway', async () => {
    const models = { 'corp/o': { dialect: { outputLimitField: 'max_completion_tokens' } } } as const;
    expect((await sentBy({ models }, 'corp/o')).max_completion_tokens).toBe(1000);
    expect((await sentBy({ models }, 'corp/other')).max_tokens).toBe(1000);
  });

  it('is not needed for the ids of Mistral’s models, which are short wherever they are', async () => {
    expect(callIds(await sentBy({}, 'corp/mistralai/devstral-2512'))).toEqual([expect.stringMatching(/^[a-z0-9]{9}$/)]);
    expect(callIds(await sentBy({}, 'corp/m'))).toEqual(['t1_s1_c1']);
  });
});
