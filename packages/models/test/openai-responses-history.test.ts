import type { AssistantPart, Message } from '@pawl/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenaiOptions, openai } from '../src/index.ts';
import { type WireAnswer, type WireServer, wireServer } from '../src/testing/index.ts';
import { hasRecordings, readText, recordedStreams, sse } from './streams.ts';
import { answerOf, assistant, call as callOf, request, thrownBy, user } from './support.ts';

let server: WireServer;
afterEach(() => server?.close());

async function modelOn(script: WireAnswer[], options: Partial<OpenaiOptions> = {}) {
  await server?.close();
  server = await wireServer(script);
  return openai({ model: 'm', apiKey: 'secret', baseUrl: `${server.url}/v1`, environment: {}, ...options });
}

/** The body of the one request that is made for these messages. */
async function bodyOf(messages: readonly Message[], options: Partial<OpenaiOptions> = {}, more = {}) {
  await answerOf(await modelOn([{ text: 'ok' }], options), request(messages, more));
  return server.requests[0]?.body ?? {};
}

const own = 'openai/m';
const call: AssistantPart = { type: 'tool_call', id: 't1_s1_c1', tool: 'read', input: { path: 'a' } };
const callItem = { type: 'function_call', call_id: 't1_s1_c1', name: 'read', arguments: '{"path":"a"}' };

describe('M3: reasoning', () => {
  const thinking: AssistantPart = { type: 'thinking', text: 'Hm.', signature: 'rs_1', opaque: 'sealed' };
  const reasoning = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'Hm.' }],
    encrypted_content: 'sealed',
  };
  const inputOf = async (message: Message, more = {}) =>
    ((await bodyOf([user('Hi'), message], {}, more)).input as object[]).slice(1);

  it.skipIf(!hasRecordings).each(['openai-reasoning-encrypted-content', 'lmstudio-tool-call'])(
    'of the recording %s goes back exactly as it came',
    async (name) => {
      const recording = recordedStreams('openai-responses').find((stream) => stream.name === name);
      const events = recording?.events ?? [];
      const { message } = readText('openai-responses', sse(events));
      const content = (message?.content ?? []).map((part, index) =>
        part.type === 'tool_call' ? { ...part, id: `c${index}` } : part,
      );
      const done = events
        .map((event) => JSON.parse(event) as { type: string; item: { type: string; status?: string } })
        .find(({ type, item }) => type === 'response.output_item.done' && item.type === 'reasoning');
      const { status: _status, ...item } = done?.item ?? { type: 'none' };
      const [first] = await inputOf(assistant(content, own));
      expect(first).toEqual(item);
    },
  );

  it('goes back only to the model that thought it, whatever its variant', async () => {
    expect(await inputOf(assistant([thinking, call], own))).toEqual([reasoning, callItem]);
    expect(await inputOf(assistant([thinking, call], `${own}@high`))).toEqual([reasoning, callItem]);
    expect(await inputOf(assistant([thinking, call], 'openai/other'))).toEqual([callItem]);
    expect(await inputOf(assistant([thinking, call], 'anthropic/m'))).toEqual([callItem]);
  });

  it('goes back to a model of another provider’s name over this wire', async () => {
    const body = await bodyOf([user('Hi'), assistant([thinking, call], 'lmstudio/m')], { id: 'lmstudio/m@high' });
    expect(body.input).toContainEqual(reasoning);
  });

  it('does not go back from before the message where signatures begin; phases do', async () => {
    const parts: AssistantPart[] = [thinking, { type: 'text', text: 'So.', signature: 'final_answer' }];
    const said = { role: 'assistant', content: 'So.', phase: 'final_answer' };
    expect(await inputOf(assistant(parts, own), { signedFrom: 2 })).toEqual([said]);
    expect(await inputOf(assistant(parts, own), { signedFrom: 1 })).toEqual([reasoning, said]);
    expect(await inputOf(assistant(parts, 'openai/other'))).toEqual([{ role: 'assistant', content: 'So.' }]);
  });

  it('does not go back without what it led to, nor a summary without its seal', async () => {
    expect(await inputOf(assistant([call, thinking], own))).toEqual([callItem]);
    const unsealed: AssistantPart = { type: 'thinking', text: 'Hm.', signature: 'rs_2' };
    expect(await inputOf(assistant([unsealed, call], own))).toEqual([callItem]);
  });

  it('of several items stays several, each with all its texts', async () => {
    const parts: AssistantPart[] = [
      { type: 'thinking', text: '', signature: 'rs_1', opaque: 'one' },
      { type: 'thinking', text: 'A', signature: 'rs_2' },
      { type: 'thinking', text: '\n\n\n\nB', signature: 'rs_2 content', opaque: 'two' },
      { type: 'thinking', text: 'no id', opaque: 'three' },
      call,
    ];
    expect(await inputOf(assistant(parts, own))).toEqual([
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'one' },
      {
        type: 'reasoning',
        id: 'rs_2',
        summary: [{ type: 'summary_text', text: 'A' }],
        content: [{ type: 'reasoning_text', text: '\n\nB' }],
        encrypted_content: 'two',
      },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'no id' }], encrypted_content: 'three' },
      callItem,
    ]);
  });
});

describe('M13: files', () => {
  const bytes: { [digest: string]: Uint8Array } = { d: Buffer.from('abc') };
  const file = (mediaType: string, name?: string, digest = 'd', sizeBytes = 3) => ({
    type: 'file' as const,
    mediaType,
    digest,
    sizeBytes,
    ...(name === undefined ? {} : { name }),
  });
  const more = { file: (digest: string) => bytes[digest] ?? null };

  it('of a person are images, documents and texts, or words that say why not', async () => {
    const message: Message = {
      role: 'user',
      source: 'input',
      content: [
        file('image/png', 'a.png'),
        file('application/pdf', 'b.pdf'),
        file('text/markdown', 'c.md'),
        file('application/zip', 'd.zip'),
        file('image/png', 'e.png', 'lost'),
        file('image/png', 'f.png', 'd', 60 * 1024 * 1024),
      ],
    };
    const { input } = await bodyOf([message], { facts: { takes: ['image', 'pdf'] } }, more);
    expect((input as { content: object[] }[])[0]?.content).toEqual([
      { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,YWJj' },
      { type: 'input_file', filename: 'b.pdf', file_data: 'data:application/pdf;base64,YWJj' },
      { type: 'input_text', text: '[file c.md]\nabc' },
      { type: 'input_text', text: expect.stringMatching(/d\.zip: this model takes no application\/zip/) as string },
      { type: 'input_text', text: expect.stringContaining('e.png') as string },
      { type: 'input_text', text: expect.stringMatching(/f\.png: 60\.0 MB/) as string },
    ]);
  });

  it('are not sent to a model that is known not to take them, nor a PDF to one of which nothing is known', async () => {
    const message: Message = { role: 'user', source: 'input', content: [file('image/png'), file('application/pdf')] };
    const types = async (options: Partial<OpenaiOptions>) => {
      const { input } = await bodyOf([message], options, more);
      return (input as { content: { type: string }[] }[])[0]?.content.map(({ type }) => type);
    };
    expect(await types({ facts: { takes: [] } })).toEqual(['input_text', 'input_text']);
    expect(await types({ facts: {} })).toEqual(['input_image', 'input_text']);
  });

  it('of a result stand in it', async () => {
    const message: Message = {
      role: 'tool',
      results: [
        { call: 'a', tool: 'look', status: 'ok', content: 'Seen.', files: [file('image/png')] },
        { call: 'b', tool: 'look', status: 'ok', content: '', files: [file('image/png', 'x.png', 'lost')] },
      ],
    };
    const { input } = await bodyOf([user('Hi'), message], {}, more);
    expect((input as object[]).slice(1)).toEqual([
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [
          { type: 'input_text', text: 'Seen.' },
          { type: 'input_image', detail: 'auto', image_url: 'data:image/png;base64,YWJj' },
        ],
      },
      {
        type: 'function_call_output',
        call_id: 'b',
        output: [{ type: 'input_text', text: expect.stringContaining('x.png') as string }],
      },
    ]);
  });
});

describe('M8: reasoning that another key cannot read', () => {
  const refusal = {
    status: 400,
    error: { type: 'invalid_request_error', message: 'The encrypted content gAAA could not be verified.' },
  };
  const thinking: AssistantPart = { type: 'thinking', text: '', signature: 'rs_1', opaque: 'sealed' };
  const start = [user('Hi'), assistant([thinking, { type: 'text', text: 'Hello.' }], own), user('And?')];

  it('is left out from then on, once and visibly, and newer reasoning goes back', async () => {
    const model = await modelOn([refusal, { text: 'So.' }, { text: 'On.' }]);
    const events = await callOf(model, request(start));
    expect(events.filter(({ type }) => type === 'notice')).toMatchObject([{ code: 'reasoning_dropped' }]);
    expect(events.at(-1)).toMatchObject({ type: 'finished', message: { content: [{ text: 'So.' }] } });
    const newer: AssistantPart = { ...thinking, signature: 'rs_2', opaque: 'new' };
    const more = [...start, assistant([newer, { type: 'text', text: 'So.' }], own), user('More.')];
    await answerOf(model, request(more));
    const sealed = server.requests.map(({ raw }) => raw.match(/"encrypted_content":"\w+"/g));
    expect(sealed).toEqual([['"encrypted_content":"sealed"'], null, ['"encrypted_content":"new"']]);
  });

  it('is asked for no third time', async () => {
    const model = await modelOn([refusal, refusal]);
    expect(await thrownBy(answerOf(model, request(start)))).toMatchObject({ code: 'bad_request' });
    expect(server.requests).toHaveLength(2);
  });
});
