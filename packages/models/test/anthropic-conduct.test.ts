import type { ModelRequest } from '@pawl/engine';
import type { AssistantPart, JsonObject, Message } from '@pawl/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnthropicOptions, anthropic } from '../src/index.ts';
import type { Parameters } from '../src/parameters.ts';
import { type WireAnswer, type WireServer, wireServer } from '../src/testing/index.ts';
import { createBodyMaker } from '../src/wires/anthropic/body.ts';
import { answerOf, assistant, call, request, results, thrownBy, user } from './support.ts';

let server: WireServer | undefined;
afterEach(() => server?.close());

async function modelOn(script: WireAnswer[], options: Partial<AnthropicOptions> = {}) {
  server = await wireServer(script);
  return anthropic({ model: 'm', apiKey: 'secret', baseUrl: server.url, environment: {}, ...options });
}

const tools = [{ name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }];

/** The body that a model would be sent. */
function bodyFor(model: string, parameters: Parameters, asked: Partial<ModelRequest> = {}, messages = [user('?')]) {
  const make = createBodyMaker({
    model,
    id: `anthropic/${model}`,
    isStreaming: true,
    parameters,
    cache: 'off',
    streamsCalls: false,
    takes: () => null,
  });
  const bytes = Buffer.concat(make(request(messages, { maxOutputTokens: 32_000, ...asked })));
  return JSON.parse(bytes.toString('utf8')) as JsonObject & { messages: { role: string; content: JsonObject[] }[] };
}
function lastText(body: ReturnType<typeof bodyFor>): unknown {
  return body.messages.at(-1)?.content.at(-1)?.text;
}

const budget = (tokens: number) => ({ type: 'enabled', budget_tokens: tokens });
const adaptive = { type: 'adaptive', display: 'summarized' };

describe('M3: thinking', () => {
  it.each([
    ['claude-3-5-haiku-20241022', undefined],
    ['claude-3-7-sonnet-20250219', budget(8192)],
    ['claude-opus-4-20250514', budget(8192)],
    ['claude-sonnet-4-5-20250929', budget(8192)],
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', budget(8192)],
    ['anthropic/claude-opus-4.5', budget(8192)],
    ['claude-sonnet-4-6', adaptive],
    ['claude-opus-4-8', adaptive],
    ['claude-sonnet-5', adaptive],
    ['claude-opus-5-5', adaptive],
    ['claude-fable-5-1', adaptive],
    ['claude-newer-9', adaptive],
    ['kimi-k3', undefined],
  ])('of %s is on by default as that model has it: %j', (model, thinking) => {
    expect(bodyFor(model, {}).thinking).toEqual(thinking);
  });

  it('keeps within the budget and the limit, and is off where there is no room', () => {
    const limited = (maxOutputTokens: number, thinkingBudgetTokens?: number) =>
      bodyFor('claude-haiku-4-5', thinkingBudgetTokens === undefined ? {} : { thinkingBudgetTokens }, {
        maxOutputTokens,
      }).thinking;
    expect(limited(32_000, 20_000)).toEqual(budget(20_000));
    expect(limited(32_000, 10)).toEqual(budget(1024));
    expect(limited(4096)).toEqual(budget(3072));
    expect(limited(2000)).toBeUndefined();
    expect(bodyFor('kimi-k3', { thinkingBudgetTokens: 4000 }).thinking).toEqual(budget(4000));
  });

  it.each([
    ['claude-haiku-4-5', undefined, undefined],
    ['claude-sonnet-4-6', { type: 'disabled' }, undefined],
    ['claude-opus-5', { type: 'disabled' }, undefined],
    ['claude-sonnet-5-5', { type: 'between_tools' }, undefined],
    ['claude-opus-5-5', undefined, { effort: 'low' }],
    ['claude-fable-5', undefined, { effort: 'low' }],
  ])('of %s that is switched off comes as near to that as the model can', (model, thinking, output) => {
    for (const parameters of [{ thinkingBudgetTokens: 0 }, { effort: 'none' }]) {
      const body = bodyFor(model, parameters);
      expect(body.thinking).toEqual(thinking);
      expect(body.output_config).toEqual(output);
    }
  });

  it('follows an effort, as such or as a budget', () => {
    expect(bodyFor('claude-opus-5-5', { effort: 'max' })).toMatchObject({
      thinking: adaptive,
      output_config: { effort: 'max' },
    });
    expect(bodyFor('claude-opus-5', { effort: 'minimal' }).output_config).toEqual({ effort: 'low' });
    expect(bodyFor('claude-opus-4-5', { effort: 'high' })).toMatchObject({
      thinking: budget(16_384),
      output_config: { effort: 'high' },
    });
    const older = bodyFor('claude-haiku-4-5', { effort: 'low' });
    expect([older.thinking, older.output_config]).toEqual([budget(2048), undefined]);
  });

  it('gives way to a temperature that was set, where nobody asked for it, and else excludes it', () => {
    const warm = { temperature: 0.2, topP: 0.9 };
    expect(bodyFor('claude-3-7-sonnet', warm)).toMatchObject({ temperature: 0.2, top_p: 0.9 });
    expect(bodyFor('claude-3-7-sonnet', warm).thinking).toBeUndefined();
    expect(bodyFor('claude-sonnet-4-6', warm)).toMatchObject({ temperature: 0.2, thinking: { type: 'disabled' } });
    const both = bodyFor('claude-haiku-4-5', { ...warm, thinkingBudgetTokens: 4000 });
    expect([both.temperature, both.top_p, both.thinking]).toEqual([undefined, undefined, budget(4000)]);
    const newer = bodyFor('claude-opus-5', warm);
    expect([newer.temperature, newer.top_p, newer.thinking]).toEqual([undefined, undefined, adaptive]);
    expect(bodyFor('m', warm)).toMatchObject({ temperature: 0.2 });
  });

  const thought: AssistantPart = { type: 'thinking', text: 'Hm.', signature: 'sig' };
  const reading = (id: string): AssistantPart => ({ type: 'tool_call', id, tool: 'read', input: {} });
  const loop = (model: string, name: string, content: AssistantPart[]): Message[] => [
    user('one'),
    assistant([...content, reading('c1')], model),
    results({ call: 'c1', tool: 'read', content: 'x' }),
    assistant([reading('c2')], `anthropic/${name}`),
    results({ call: 'c2', tool: 'read', content: 'x' }),
  ];

  it.each([
    'claude-opus-4-1',
    'claude-sonnet-4-5',
    'claude-haiku-4-5',
    'claude-opus-4-5',
    'claude-opus-4-6',
    'claude-sonnet-4-6',
  ])('of %s excludes one of temperature and top-p: the temperature is sent, and a top-p that stands alone', (name) => {
    const both = bodyFor(name, { temperature: 0.2, topP: 0.9 });
    expect([both.temperature, both.top_p]).toEqual([0.2, undefined]);
    expect(bodyFor(name, { topP: 0.9 }).top_p).toBe(0.9);
  });

  it('stays on in a turn that began without thoughts: a change would void what is kept of the messages', () => {
    const name = 'claude-haiku-4-5';
    const own = `anthropic/${name}`;
    const thinking = (messages: Message[], more: Partial<ModelRequest> = {}) =>
      bodyFor(name, {}, more, messages).thinking;
    expect(thinking(loop(own, name, [thought]))).toEqual(budget(8192));
    expect(thinking(loop(own, name, []))).toEqual(budget(8192));
    expect(thinking(loop('anthropic/other', name, [thought]))).toEqual(budget(8192));
    expect(thinking(loop(own, name, [thought]), { signedFrom: 2 })).toEqual(budget(8192));
  });

  it('that a server takes in no turn that began without is left out there, from its first refusal on', async () => {
    const name = 'claude-haiku-4-5';
    const message =
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, …';
    const refusal = { status: 400, error: { type: 'invalid_request_error', message } };
    const model = await modelOn([refusal, { text: 'one' }, { text: 'two' }, { text: 'three' }], { model: name });
    const late = loop(`anthropic/${name}`, name, []);
    const long = { maxOutputTokens: 32_000 };
    expect(await answerOf(model, request(late, long))).toMatchObject({ content: [{ type: 'text', text: 'one' }] });
    await answerOf(model, request(late, long));
    await answerOf(model, request([user('?')], long));
    const sent = server?.requests.map(({ body }) => body.thinking);
    expect(sent).toEqual([budget(8192), undefined, undefined, budget(8192)]);
  });

  it('goes back exactly as it came, only to its model, and only from where signatures hold', async () => {
    const own = [thought, { type: 'thinking' as const, text: '', signature: 'omitted' }, reading('c1')];
    const messages = [
      user('one'),
      assistant(own, 'anthropic/m@high'),
      results({ call: 'c1', tool: 'read', content: 'x' }),
      assistant(own, 'anthropic/m'),
      results({ call: 'c1', tool: 'read', content: 'x' }),
    ];
    const model = await modelOn([{ text: 'ok' }, { text: 'ok' }, { text: 'ok' }]);
    for (const signedFrom of [0, 2, 4]) await answerOf(model, request([...messages], { tools, signedFrom }));
    const blocks = server?.requests.map(({ body }) =>
      (body.messages as { content: JsonObject[] }[]).flatMap(({ content }) =>
        content.filter(({ type }) => type === 'thinking'),
      ),
    );
    const sent = [
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'thinking', thinking: '', signature: 'omitted' },
    ];
    expect(blocks).toEqual([[...sent, ...sent], sent, []]);
  });

  it('that no longer fits what stands before it is dropped by the API, once that has refused it', async () => {
    const refusal = {
      status: 400,
      error: {
        type: 'invalid_request_error',
        message:
          'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.',
      },
    };
    const model = await modelOn([{ text: 'one' }, refusal, { text: 'two' }, { text: 'three' }, { status: 400 }], {
      model: 'claude-opus-5-5',
      headers: { 'anthropic-beta': 'other' },
    });
    await answerOf(model, request([user('?')]));
    const events = await call(model, request([user('?')]));
    expect(events.at(-1)).toMatchObject({ type: 'finished', message: { content: [{ type: 'text', text: 'two' }] } });
    await answerOf(model, request([user('?')]));
    const drop = { ...adaptive, block_binding: { prefix_mismatch_behavior: 'drop_block' } };
    expect(server?.requests.map(({ body }) => body.thinking)).toEqual([adaptive, adaptive, drop, drop]);
    expect(server?.requests.map(({ headers }) => headers['anthropic-beta'])).toEqual([
      'other',
      'other',
      'other,thinking-binding-controls-2026-08-01',
      'other,thinking-binding-controls-2026-08-01',
    ]);
    expect(await thrownBy(call(model, request([user('?')])))).toMatchObject({ code: 'bad_request' });
  });
});

describe('M1: what a request asks for', () => {
  it.each([
    ['auto', undefined],
    ['required', { type: 'any' }],
    ['none', { type: 'none' }],
    [{ tool: 'read' }, { type: 'tool', name: 'read' }],
  ] as const)('a tool choice of %j', (toolChoice, expected) => {
    expect(bodyFor('m', {}, { tools, toolChoice }).tool_choice).toEqual(expected);
    expect(bodyFor('m', {}, { toolChoice }).tool_choice).toBeUndefined();
  });

  it('a forced call without the thinking that forbids it, or in words where it cannot be forced', () => {
    const forced = { tools, toolChoice: { tool: 'read' } };
    expect(bodyFor('claude-haiku-4-5', {}, forced).thinking).toBeUndefined();
    expect(bodyFor('claude-opus-5', {}, forced)).toMatchObject({ thinking: adaptive, tool_choice: { type: 'tool' } });
    const body = bodyFor('claude-opus-5-5', {}, forced);
    expect([body.tool_choice, lastText(body)]).toEqual([undefined, 'Call the tool read now.']);
    expect(lastText(bodyFor('claude-opus-5-5', {}, { tools, toolChoice: 'required' }))).toBe('Call a tool now.');
  });

  it('no calls in a conversation that had some, and the API still has a tool to see', () => {
    const messages = [
      user('?'),
      assistant([{ type: 'tool_call', id: 'c', tool: 'strange tool!', input: {} }]),
      results({ call: 'c', tool: 'read', content: '' }),
    ];
    const body = bodyFor('m', {}, {}, messages);
    expect(body).toMatchObject({ tools: [{ name: 'none' }], tool_choice: { type: 'none' } });
    expect(body.messages[1]?.content[0]?.name).toBe('strange_tool_');
    expect(body.messages[2]?.content).toEqual([{ type: 'tool_result', tool_use_id: 'c' }]);
  });

  it('calls as they are written, where the server can do that', () => {
    const make = createBodyMaker({
      model: 'claude-opus-5',
      id: 'anthropic/claude-opus-5',
      isStreaming: true,
      parameters: {},
      cache: 'off',
      streamsCalls: true,
      takes: () => null,
    });
    const body = Buffer.concat(make(request([user('?')], { tools }))).toString('utf8');
    expect(JSON.parse(body)).toMatchObject({ tools: [{ name: 'read', eager_input_streaming: true }] });
    expect(bodyFor('claude-opus-5', {}, { tools }).tools).not.toMatchObject([{ eager_input_streaming: true }]);
  });

  it('stop sequences, and fields of the user’s own, which win but for the conversation', () => {
    const own = { max_tokens: 5, service_tier: 'flex', messages: [], stream: false };
    expect(bodyFor('m', { stopSequences: ['END'], body: own })).toMatchObject({
      stop_sequences: ['END'],
      max_tokens: 5,
      service_tier: 'flex',
      stream: true,
      messages: [{ role: 'user' }],
    });
  });

  const answer = {
    type: 'object',
    properties: { name: { type: 'string', minLength: 2 }, kind: { oneOf: [{ const: 'a' }, { const: 'b' }] } },
    required: ['name'],
  };

  it('an answer by a schema, as the API takes it', () => {
    expect(bodyFor('claude-opus-5', { effort: 'low' }, { outputSchema: answer }).output_config).toEqual({
      effort: 'low',
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          properties: {
            name: { type: 'string', description: 'minLength: 2' },
            kind: { anyOf: [{ const: 'a' }, { const: 'b' }] },
          },
          required: ['name'],
          additionalProperties: false,
        },
      },
    });
  });

  it.each([
    ['an older model', 'claude-sonnet-4-20250514', answer],
    ['open objects', 'claude-opus-5', { type: 'object', additionalProperties: { type: 'string' } }],
    ['an object of anything', 'claude-opus-5', { type: 'object' }],
    [
      'recursion',
      'claude-opus-5',
      {
        $ref: '#/$defs/node',
        $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, required: ['next'] } },
      },
    ],
    [
      'many optional properties',
      'claude-opus-5',
      {
        type: 'object',
        properties: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`p${i}`, { type: 'string' }])),
      },
    ],
  ])('an answer by a schema in words: %s', (_why, model, outputSchema) => {
    const body = bodyFor(model, {}, { outputSchema });
    expect(body.output_config).toBeUndefined();
    expect(lastText(body)).toContain(JSON.stringify(outputSchema));
  });
});

describe('M13: files', () => {
  const file = (mediaType: string, more: object = {}) => ({
    type: 'file' as const,
    mediaType,
    digest: 'd',
    sizeBytes: 3,
    name: 'x',
    ...more,
  });
  const blockOf = (part: ReturnType<typeof file>, bytes: Uint8Array | null = Buffer.from('abc')) =>
    bodyFor('m', {}, { file: () => bytes }, [{ role: 'user', source: 'input', content: [part] }]).messages[0]
      ?.content[0];

  it('are given as images and documents, beside text and in results', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'YWJj' };
    expect(blockOf(file('image/png'))).toEqual({ type: 'image', source });
    expect(blockOf(file('image/jpg'))).toMatchObject({ source: { media_type: 'image/jpeg' } });
    expect(blockOf(file('application/pdf'))).toEqual({
      type: 'document',
      source: { ...source, media_type: 'application/pdf' },
      title: 'x',
    });
    expect(blockOf(file('text/csv; charset=utf-8'))).toEqual({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'abc' },
      title: 'x',
    });
    const result = { call: 'c', tool: 'read', status: 'ok' as const, content: 'See:', files: [file('image/png')] };
    const body = bodyFor('m', {}, { file: () => Buffer.from('abc') }, [
      user('?'),
      assistant([{ type: 'tool_call', id: 'c', tool: 'read', input: {} }]),
      { role: 'tool', results: [result] },
    ]);
    expect(body.messages[2]?.content[0]?.content).toEqual([
      { type: 'text', text: 'See:' },
      { type: 'image', source },
    ]);
  });

  it.each([
    [file('video/mp4'), '[file x: this model takes no video/mp4]'],
    [file('image/tiff', { name: undefined }), '[file image/tiff: this model takes no image/tiff]'],
    [file('image/png', { sizeBytes: 6_000_000 }), '[file x: 5.7 MB is more than the 3.8 MB that this model takes]'],
  ])('that the model does not take become words: %j', (part, text) => {
    expect(blockOf(part)).toEqual({ type: 'text', text });
  });

  it('that are lost, or empty, become words', () => {
    expect(blockOf(file('image/png'), null)).toEqual({ type: 'text', text: '[file x: its content is lost]' });
    expect(blockOf(file('text/plain'), Buffer.from(' '))).toEqual({ type: 'text', text: '[file x: empty]' });
  });
});
