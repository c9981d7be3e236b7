import type { Message } from '@pawl/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type WireAnswer, type WireServer, wireServer } from '../src/testing/index.ts';
import { type GoogleOptions, google } from '../src/wires/google/index.ts';
import { readText, sse } from './streams.ts';
import { answerOf, assistant, call, request, results, thrownBy, uncounted, user } from './support.ts';

let server: WireServer;
afterEach(() => server?.close());

const gemini3 = 'gemini-3.1-pro-preview';

async function modelOn(script: WireAnswer[], options: Partial<GoogleOptions> = {}) {
  server = await wireServer(script);
  return google({ model: gemini3, apiKey: 'secret', baseUrl: server.url, environment: {}, ...options });
}

const ok: WireAnswer = { text: 'ok' };
const tools = [{ name: 'read', description: 'Reads a file.', inputSchema: { type: 'object' } }];
const own = `google/${gemini3}`;
const body = (number = 0) => server.requests[number]?.body ?? {};
const config = (number = 0) => body(number).generationConfig as { [key: string]: unknown };

const step: Message[] = [
  user('Read both.'),
  assistant(
    [
      { type: 'thinking', text: 'A summary.' },
      { type: 'thinking', text: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'I read them.' },
      { type: 'thinking', text: '', signature: 'dGV4dA==' },
      { type: 'tool_call', id: 'c1', tool: 'read', input: { path: 'a' }, signature: 'Y2FsbA==' },
      { type: 'tool_call', id: 'c2', tool: 'read', input: {}, malformed: '{"path' },
    ],
    own,
  ),
  results({ call: 'c1', tool: 'read', content: 'Grüße' }, { call: 'c2', tool: 'read', content: 'no', status: 'error' }),
];

describe('M1: the body of a Gemini request', () => {
  it('is this, byte for byte', async () => {
    const model = await modelOn([ok]);
    await answerOf(model, request(step, { system: 'Be brief.', tools, tail: 'Step 2 of 9.' }));
    expect(server.requests[0]?.raw).toBe(
      '{"systemInstruction":{"parts":[{"text":"Be brief."}]},' +
        '"tools":[{"functionDeclarations":[{"name":"read","description":"Reads a file.","parametersJsonSchema":{"type":"object"}}]}],' +
        '"generationConfig":{"maxOutputTokens":1000,"thinkingConfig":{"includeThoughts":true}},' +
        '"contents":[{"role":"user","parts":[{"text":"Read both."}]},' +
        '{"role":"model","parts":[{"text":"Hm.","thought":true,"thoughtSignature":"c2ln"},{"text":"I read them."},' +
        '{"text":"","thoughtSignature":"dGV4dA=="},' +
        '{"functionCall":{"id":"c1","name":"read","args":{"path":"a"}},"thoughtSignature":"Y2FsbA=="},' +
        '{"functionCall":{"id":"c2","name":"read","args":{}}}]},' +
        '{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"read","response":{"output":"Grüße"}}},' +
        '{"functionResponse":{"id":"c2","name":"read","response":{"error":"no"}}}]},' +
        '{"role":"user","parts":[{"text":"Step 2 of 9."}]}]}',
    );
    expect(server.requests[0]?.headers).toMatchObject({ 'x-goog-api-key': 'secret', accept: 'text/event-stream' });
    expect(server.requests[0]?.model).toBe(gemini3);
  });

  it('merges neighbours of one role, but nothing with results, and sends no empty text', async () => {
    const model = await modelOn([ok]);
    const messages = [user('one'), user('  '), user('two'), ...step.slice(1), user('three')];
    await answerOf(model, request(messages, { tail: ' ' }));
    expect(server.requests[0]?.messages.map(({ role, text }) => [role, text])).toEqual([
      ['user', 'one\ntwo'],
      ['assistant', 'I read them.'],
      ['tool', ''],
      ['user', 'three'],
    ]);
  });

  it('has a prefix that stays the same to the byte while the conversation grows (M5)', async () => {
    const model = await modelOn(Array.from({ length: 5 }, () => ok));
    const messages: Message[] = [user('start')];
    for (let turn = 1; turn <= 5; turn++) {
      await answerOf(model, request([...messages], { system: 'Be brief.', tools, tail: `step ${turn}` }));
      messages.push(
        assistant([{ type: 'tool_call', id: `c${turn}`, tool: 'read', input: { path: `${turn}` } }], own),
        results({ call: `c${turn}`, tool: 'read', content: `${turn} 👋`.repeat(3000) }),
      );
    }
    const bodies = server.requests.map(({ raw }) => raw);
    for (let turn = 1; turn < bodies.length; turn++) {
      const before = bodies[turn - 1] ?? '';
      const stable = before.slice(0, before.lastIndexOf(']},{"role":"user","parts":[{"text":"step'));
      expect(stable.length).toBeGreaterThan((turn - 1) * 9000);
      if (turn > 1) expect(bodies[turn]?.startsWith(stable)).toBe(true);
    }
  });

  it('is the same from another process that reads the same log', async () => {
    const first = await modelOn([ok, ok]);
    const second = google({ model: gemini3, apiKey: 'secret', baseUrl: server.url, environment: {} });
    await answerOf(first, request(step, { tools }));
    await answerOf(second, request(JSON.parse(JSON.stringify(step)) as Message[], { tools }));
    expect(server.requests[0]?.raw).toBe(server.requests[1]?.raw);
  });
});

describe('M3: thought signatures', () => {
  const parts = (number = 0) => (body(number).contents as { parts: { thoughtSignature?: string }[] }[])[1]?.parts ?? [];
  const signatures = (number = 0) => parts(number).map(({ thoughtSignature }) => thoughtSignature);
  const placeholder = 'skip_thought_signature_validator';

  it('of another model are not sent; its calls have the documented stand-in', async () => {
    const model = await modelOn([ok]);
    const foreign = step.map((message) =>
      message.role === 'assistant' ? { ...message, model: 'anthropic/claude' } : message,
    );
    await answerOf(model, request(foreign));
    expect(signatures()).toEqual([undefined, placeholder, undefined]);
    expect(JSON.stringify(body())).not.toContain('Hm.');
  });

  it('are the model’s own whatever its variant is', async () => {
    const model = await modelOn([ok], { id: `${own}@high` });
    const low = step.map((message) => (message.role === 'assistant' ? { ...message, model: `${own}@low` } : message));
    await answerOf(model, request(low));
    expect(signatures()).toEqual(['c2ln', undefined, 'dGV4dA==', 'Y2FsbA==', undefined]);
  });

  it('before the place where they are valid are dropped, and come back when it moves', async () => {
    const model = await modelOn([ok, ok]);
    await answerOf(model, request(step, { signedFrom: 2 }));
    await answerOf(model, request(step, { signedFrom: 1 }));
    expect(signatures(0)).toEqual([undefined, placeholder, undefined]);
    expect(signatures(1)).toContain('Y2FsbA==');
  });

  it('need no stand-in where the model does not ask for them', async () => {
    const model = await modelOn([ok], { model: 'gemini-2.5-flash' });
    await answerOf(model, request(step));
    expect(signatures()).toEqual([undefined, undefined, undefined]);
  });

  it('go back exactly as they came', async () => {
    const chunks = [
      { text: 'Let me see.', thought: true },
      { text: 'I read' },
      { text: ' them.' },
      { text: '', thoughtSignature: 'AAA=' },
      { text: 'signed', thoughtSignature: 'BBB=' },
      { text: ' unsigned' },
      { functionCall: { name: 'read', args: { path: 'a' } }, thoughtSignature: 'CCC=' },
      { functionCall: { name: 'read', args: { path: 'b' } } },
    ];
    const model = await modelOn([{ body: sse([...chunks.map((part) => chunk([part])), stop]) }, ok]);
    const message = await answerOf(model, request([user('?')]));
    let calls = 0;
    const content = message.content.map((part) => (part.type === 'tool_call' ? { ...part, id: `c${++calls}` } : part));
    await answerOf(model, request([user('?'), assistant(content, own)]));
    expect(parts(1)).toEqual([
      { text: 'I read them.' },
      { text: '', thoughtSignature: 'AAA=' },
      { text: 'signed', thoughtSignature: 'BBB=' },
      { text: ' unsigned' },
      { functionCall: { id: 'c1', name: 'read', args: { path: 'a' } }, thoughtSignature: 'CCC=' },
      { functionCall: { id: 'c2', name: 'read', args: { path: 'b' } } },
    ]);
  });
});

describe('M10: what a variant presets', () => {
  it('is sent in the words of the API', async () => {
    const parameters = { temperature: 0.2, topP: 0.9, stopSequences: ['END'] };
    const model = await modelOn([ok], { parameters });
    await answerOf(model, request([user('?')]));
    expect(config()).toMatchObject(parameters);
  });

  it.each([
    [gemini3, {}, { includeThoughts: true }],
    [gemini3, { effort: 'high' }, { includeThoughts: true, thinkingLevel: 'high' }],
    [gemini3, { effort: 'xhigh' }, { includeThoughts: true, thinkingLevel: 'high' }],
    [gemini3, { effort: 'minimal' }, { includeThoughts: true, thinkingLevel: 'low' }],
    [gemini3, { thinkingBudgetTokens: 0 }, { includeThoughts: true, thinkingLevel: 'low' }],
    ['gemini-3-flash-preview', { effort: 'minimal' }, { includeThoughts: true, thinkingLevel: 'minimal' }],
    ['gemini-flash-latest', { thinkingBudgetTokens: 8000 }, { includeThoughts: true, thinkingLevel: 'medium' }],
    ['gemini-4-argon', { effort: 'low' }, { includeThoughts: true, thinkingLevel: 'low' }],
    ['gemini-2.5-pro', {}, { includeThoughts: true, thinkingBudget: 8192 }],
    ['gemini-2.5-pro', { thinkingBudgetTokens: 0 }, { includeThoughts: true, thinkingBudget: 128 }],
    ['gemini-2.5-flash', { thinkingBudgetTokens: 0 }, { includeThoughts: false, thinkingBudget: 0 }],
    ['gemini-2.5-flash', { effort: 'high' }, { includeThoughts: true, thinkingBudget: 24_576 }],
    ['gemini-2.0-flash', { effort: 'high' }, undefined],
    ['gemma-3-27b-it', {}, undefined],
  ])('asks %s with %j to think so', async (name, parameters, thinkingConfig) => {
    const model = await modelOn([ok], { model: name, parameters });
    await answerOf(model, request([user('?')], { maxOutputTokens: 60_000 }));
    expect(config().thinkingConfig).toEqual(thinkingConfig);
  });

  it('leaves room for an answer beside the thoughts', async () => {
    const model = await modelOn([ok], { model: 'gemini-2.5-flash' });
    await answerOf(model, request([user('?')], { maxOutputTokens: 2048 }));
    expect(config().thinkingConfig).toEqual({ includeThoughts: true, thinkingBudget: 1024 });
  });

  it('may add to the body and win over what is in it', async () => {
    const extra = { safetySettings: [], toolConfig: { a: 1 }, generationConfig: { topK: 5, maxOutputTokens: 7 } };
    const model = await modelOn([ok], { parameters: { body: extra } });
    await answerOf(model, request([user('?')], { tools, toolChoice: 'required' }));
    expect(body()).toMatchObject(extra);
    expect(server.requests[0]?.raw.match(/toolConfig/g)).toHaveLength(1);
  });
});

describe('M1: tool choice and output schema', () => {
  it.each([
    ['auto' as const, undefined],
    ['none' as const, { functionCallingConfig: { mode: 'NONE' } }],
    ['required' as const, { functionCallingConfig: { mode: 'ANY' } }],
    [{ tool: 'read' }, { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read'] } }],
  ])('%j is what the API calls it', async (toolChoice, toolConfig) => {
    const model = await modelOn([ok]);
    await answerOf(model, request([user('?')], { tools, toolChoice }));
    expect(body().toolConfig).toEqual(toolConfig);
  });

  const outputSchema = {
    type: 'object',
    properties: { kind: { const: 'x' }, const: { type: 'string', enum: ['const'] } },
    required: ['const'],
  };

  it('a schema is enforced where it can be, without the keyword that the API does not know', async () => {
    const model = await modelOn([ok]);
    await answerOf(model, request([user('?')], { outputSchema, tools }));
    expect(config()).toMatchObject({
      responseMimeType: 'application/json',
      responseJsonSchema: {
        type: 'object',
        properties: { kind: { enum: ['x'] }, const: { type: 'string', enum: ['const'] } },
        required: ['const'],
      },
    });
  });

  it('a schema is a text where the API would refuse it', async () => {
    const model = await modelOn([ok, ok], { model: 'gemini-2.5-pro' });
    await answerOf(model, request([user('?')], { outputSchema, tools }));
    await answerOf(model, request([user('?')], { outputSchema }));
    expect(config(0).responseJsonSchema).toBeUndefined();
    expect(server.requests[0]?.messages.at(-1)?.text).toContain('"const":"x"');
    expect(config(1).responseJsonSchema).toBeDefined();
  });
});

describe('M13: files', () => {
  const file = (mediaType: string, digest: string) => ({ type: 'file' as const, mediaType, digest, sizeBytes: 3 });
  const bytes = (digest: string) => (digest === 'lost' ? null : Buffer.from('abc'));
  const withFiles: Message[] = [
    {
      role: 'user',
      source: 'input',
      content: [
        { type: 'text', text: 'Look.' },
        file('image/png', 'a'),
        { ...file('image/gif', 'b'), name: 'move.gif' },
        file('application/pdf', 'lost'),
        file('text/csv', 'c'),
      ],
    },
    assistant([{ type: 'tool_call', id: 'c1', tool: 'shoot', input: {} }]),
    {
      role: 'tool',
      results: [
        {
          call: 'c1',
          tool: 'shoot',
          status: 'ok',
          content: 'Done.',
          files: [file('image/png', 'd'), file('audio/wav', 'e')],
        },
      ],
    },
  ];
  const inline = (mimeType: string) => ({ inlineData: { mimeType, data: 'YWJj' } });
  const contents = () => body().contents as { parts: object[] }[];

  it('go with the request; what the API cannot take is a text that says so', async () => {
    const model = await modelOn([ok]);
    await answerOf(model, request(withFiles, { file: bytes }));
    expect(contents()[0]?.parts).toEqual([
      { text: 'Look.' },
      inline('image/png'),
      { text: '[file move.gif: this model takes no image/gif]' },
      { text: '[file application/pdf: its content is lost]' },
      inline('text/plain'),
    ]);
  });

  it('of a result stand inside it, or after it where the API does not take them there', async () => {
    const model = await modelOn([ok]);
    await answerOf(model, request(withFiles, { file: bytes, tail: 'tail' }));
    expect(contents().slice(2)).toEqual([
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'c1',
              name: 'shoot',
              response: { output: 'Done.' },
              parts: [inline('image/png')],
            },
          },
        ],
      },
      {
        role: 'user',
        parts: [{ text: '[file audio/wav of the result of shoot]' }, inline('audio/wav'), { text: 'tail' }],
      },
    ]);
  });

  it('of a result all stand after it for an older model', async () => {
    const model = await modelOn([ok], { model: 'gemini-2.5-flash' });
    await answerOf(model, request(withFiles, { file: bytes }));
    expect(JSON.stringify(contents()[2])).not.toContain('inlineData');
    expect(contents()[3]?.parts).toContainEqual(inline('image/png'));
  });
});

describe('M1: an answer of the Gemini API', () => {
  it('comes as deltas, and then as a whole', async () => {
    const model = await modelOn([
      {
        thinking: 'Let me see.',
        text: ['Hel', 'lo'],
        calls: [{ tool: 'read', input: { path: 'a' } }, { tool: 'list' }],
        usage: { inputTokens: 5, outputTokens: 7, cacheReadTokens: 3, reasoningTokens: 2 },
        pieceBytes: 5,
      },
    ]);
    const events = await call(model, request([user('Hi')]));
    expect(uncounted(events).slice(3)).toMatchObject([
      { type: 'thinking', text: 'Let me see.' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'input', call: 1, tool: 'read', text: '{"path":"a"}' },
      { type: 'input_complete', call: 1, tool: 'read', input: { path: 'a' } },
      { type: 'input', call: 2, tool: 'list', text: '{}' },
      { type: 'input_complete', call: 2, tool: 'list', input: {} },
      {
        type: 'finished',
        message: {
          content: [
            { type: 'thinking', text: 'Let me see.' },
            { type: 'text', text: 'Hello' },
            { type: 'tool_call', tool: 'read', input: { path: 'a' }, signature: 'c2lnbmF0dXJl' },
            { type: 'tool_call', tool: 'list', input: {} },
          ],
          stopReason: 'tool_calls',
          usage: { inputTokens: 5, outputTokens: 7, cacheReadTokens: 3, reasoningTokens: 2 },
        },
      },
    ]);
  });

  it('that came in one piece is read like a stream, also as a list', async () => {
    const whole = chunk([{ text: 'Hi' }, { functionCall: { name: 'read', args: { path: 'a' } } }], 'STOP');
    const headers = { 'content-type': 'application/json; charset=UTF-8' };
    const model = await modelOn(
      [
        { body: whole, headers },
        { body: ` [${whole}]`, headers },
      ],
      { isStreaming: false },
    );
    for (let number = 0; number < 2; number++) {
      const message = await answerOf(model, request([user('Hi')]));
      expect(message).toMatchObject({ content: [{ text: 'Hi' }, { tool: 'read' }], stopReason: 'tool_calls' });
    }
  });

  it.each([
    ['STOP', 'end'],
    ['MAX_TOKENS', 'output_limit'],
    ['CONTINUATION', 'output_limit'],
    ['OTHER', 'end'],
    ['SOMETHING_NEW', 'end'],
  ])('that stopped for %s stopped for %s', (theirs, ours) => {
    const { message } = readText('google', sse([chunk([{ text: 'x' }], theirs)]));
    expect(message?.stopReason).toBe(ours);
    expect(message?.content).toEqual([{ type: 'text', text: 'x' }]);
  });

  it.each(['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'])(
    'that was refused for %s says so',
    (reason) => {
      const { message } = readText('google', sse([chunk([{ text: 'Once' }]), chunk([], reason)]));
      expect(message?.stopReason).toBe('refusal');
      expect(message?.content).toEqual([
        { type: 'text', text: 'Once' },
        { type: 'text', text: `[The provider refused to go on: ${reason}]` },
      ]);
    },
  );

  it('to a request that was refused says why', () => {
    const refused = '{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":7}}';
    const { message } = readText('google', sse([refused]));
    expect(message).toMatchObject({
      stopReason: 'refusal',
      content: [{ type: 'text', text: '[The provider refused the request: PROHIBITED_CONTENT]' }],
      usage: { inputTokens: 7 },
    });
  });

  it('counts tokens that its tools read as input, and those in the cache once', () => {
    const usage = { promptTokenCount: 100, cachedContentTokenCount: 60, toolUsePromptTokenCount: 5 };
    const end = { candidates: [{ finishReason: 'STOP' }], usageMetadata: { ...usage, candidatesTokenCount: 3 } };
    const { message } = readText('google', sse(['{"usageMetadata":{"thoughtsTokenCount":4}}', JSON.stringify(end)]));
    expect(message?.usage).toMatchObject({
      inputTokens: 45,
      cacheReadTokens: 60,
      outputTokens: 7,
      reasoningTokens: 4,
    });
  });
});

describe('E10, E11: calls of a Gemini answer', () => {
  const begun = chunk([{ functionCall: { name: 'write', willContinue: true } }]);
  const grown = chunk([
    {
      functionCall: {
        partialArgs: [{ jsonPath: '$.content', stringValue: 'lon', willContinue: true }],
        willContinue: true,
      },
    },
  ]);

  it('that the output limit cut are dropped and named; whole ones stay', () => {
    const first = chunk([{ functionCall: { name: 'read', args: { path: 'a' } } }]);
    for (const cut of [[begun], [begun, grown]]) {
      const { message, events } = readText('google', sse([first, ...cut, chunk([], 'MAX_TOKENS')]));
      expect(message).toMatchObject({ stopReason: 'output_limit', cutCall: 'write' });
      expect(message?.content).toEqual([{ type: 'tool_call', tool: 'read', input: { path: 'a' } }]);
      expect(events.filter(({ type }) => type === 'input_complete')).toHaveLength(1);
    }
  });

  it('that have no end of their own end with the answer, or when the next begins', () => {
    const { message } = readText('google', sse([begun, grown, begun, grown, stop]));
    expect(message?.content).toEqual([
      { type: 'tool_call', tool: 'write', input: { content: 'lon' } },
      { type: 'tool_call', tool: 'write', input: { content: 'lon' } },
    ]);
  });

  it('may begin with their first piece, and end with their last', () => {
    const piece = { jsonPath: '$.n', numberValue: 1 };
    const { message } = readText(
      'google',
      sse([chunk([{ functionCall: { name: 'read', partialArgs: [piece] } }]), chunk([{ functionCall: {} }]), stop]),
    );
    expect(message?.content).toEqual([{ type: 'tool_call', tool: 'read', input: { n: 1 } }]);
  });

  it('that the provider could not read are malformed calls where it names the tool', () => {
    for (const text of [
      'print(default_api.write(content="""',
      'call:default_api:write{content:',
      'call:write{content:',
    ]) {
      const finishMessage = `Malformed function call: ${text}`;
      const end = JSON.stringify({ candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage }] });
      const { message } = readText('google', sse([chunk([{ text: 'So' }]), end]));
      expect(message?.stopReason).toBe('tool_calls');
      expect(message?.content).toEqual([
        { type: 'text', text: 'So' },
        { type: 'tool_call', tool: 'write', input: {}, malformed: finishMessage },
      ]);
    }
  });

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL', 'MALFORMED_RESPONSE'])(
    'that nobody can name fail as what may go well at the next try: %s',
    (reason) => {
      expect(readText('google', sse([chunk([], reason)])).error).toBe('bad_stream');
    },
  );

  it('keep the raw text of an input that is no object', () => {
    const { message } = readText('google', sse([chunk([{ functionCall: { name: 'read', args: '["a"' } }]), stop]));
    expect(message?.content).toEqual([{ type: 'tool_call', tool: 'read', input: {}, malformed: '["a"' }]);
  });
});

describe('M6: a failure of the Gemini API', () => {
  it.each([
    [{ code: 503, status: 'UNAVAILABLE' }, 'overloaded'],
    [{ status: 'UNAVAILABLE' }, 'overloaded'],
    [{ status: 'RESOURCE_EXHAUSTED' }, 'rate_limited'],
    [{ code: 500, status: 'INTERNAL' }, 'server_error'],
    [{ code: 400, status: 'INVALID_ARGUMENT' }, 'bad_request'],
    [{ status: 'NO_SUCH_STATUS' }, 'server_error'],
  ])('in mid-stream, %j, has the code %s', (error, code) => {
    const failed = JSON.stringify({ error: { ...error, message: 'Oh.' } });
    expect(readText('google', sse([chunk([{ text: 'so' }]), failed])).error).toBe(code);
  });

  it.each([
    [400, 'API key not valid. Please pass a valid API key.', 'unauthorized'],
    [
      400,
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      'context_overflow',
    ],
    [400, 'Function call is missing a thought_signature.', 'bad_request'],
    [404, 'models/gemini-9 is not found', 'not_found'],
    [429, 'You exceeded your current quota, please check your plan and billing details.', 'rate_limited'],
  ])('%i "%s" has the code %s', async (status, message, code) => {
    const error = { error: { code: status, message, status: 'X' } };
    const model = await modelOn([{ status, body: JSON.stringify(error) }]);
    expect(await thrownBy(answerOf(model, request([user('?')])))).toMatchObject({ code });
  });

  it('says how long to wait in its body, where there is no header', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '45.837906927s' }];
    const error = { error: { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED', details } };
    const model = await modelOn([{ status: 429, body: JSON.stringify(error, null, 2) }]);
    const thrown = await thrownBy(answerOf(model, request([user('?')])));
    expect(thrown).toMatchObject({ code: 'rate_limited', details: { retryAfterMs: 45_838 } });
  });

  it('does not repeat the key (scenario 54)', async () => {
    const error = { type: 'x', message: 'The key AIza-very-secret is not allowed.' };
    const model = await modelOn([{ status: 403, error }], { apiKey: 'AIza-very-secret' });
    const thrown = await thrownBy(answerOf(model, request([user('?')])));
    expect(thrown).toMatchObject({ code: 'unauthorized', message: expect.stringContaining('[key]') as string });
    expect(String(thrown)).not.toContain('AIza');
  });

  it('is a cut where the stream ends without its end (M2)', async () => {
    const model = await modelOn([{ body: sse([chunk([{ text: 'so' }])]) }]);
    expect(await thrownBy(answerOf(model, request([user('?')])))).toMatchObject({ code: 'stream_cut' });
  });
});

describe('M1: the address and key of a Gemini model', () => {
  it('come from the environment where they are not given', async () => {
    server = await wireServer([ok, ok]);
    const base = { GOOGLE_GEMINI_BASE_URL: `${server.url}/v1beta/` };
    const both = { ...base, GOOGLE_API_KEY: 'google', GEMINI_API_KEY: 'gemini' };
    await answerOf(google({ model: 'm', environment: both }), request([user('Hi')]));
    await answerOf(google({ model: 'm', environment: { ...base, GEMINI_API_KEY: 'gemini' } }), request([user('Hi')]));
    expect(server.requests.map(({ headers }) => headers['x-goog-api-key'])).toEqual(['google', 'gemini']);
  });

  it('say what to do when the key is missing', async () => {
    const model = google({ model: 'm', environment: {} });
    const error = await thrownBy((async () => answerOf(model, request([user('Hi')])))());
    expect(error).toMatchObject({ code: 'no_key', message: expect.stringContaining('GEMINI_API_KEY') as string });
  });

  it('must be an address', () => {
    expect(() => google({ model: 'm', baseUrl: 'localhost' })).toThrow(/must be an address/);
  });
});

const stop = chunk([], 'STOP');

function chunk(parts: object[], finishReason?: string): string {
  const content = { role: 'model', parts };
  return JSON.stringify({ candidates: [{ content, ...(finishReason === undefined ? {} : { finishReason }) }] });
}
