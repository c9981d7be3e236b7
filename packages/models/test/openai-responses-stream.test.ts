import { describe, expect, it } from 'vitest';
import { failureDetails, openai } from '../src/index.ts';
import { wireServer } from '../src/testing/index.ts';
import { createDecoder } from '../src/wires/openai-responses/stream.ts';
import {
  added,
  calling,
  completed,
  created,
  delta,
  done,
  incomplete,
  message,
  read,
} from './openai-responses-support.ts';
import { readText, sse } from './streams.ts';
import { answerOf, call, request, thrownBy, user } from './support.ts';

describe('M2: an answer of the Responses API', () => {
  it('comes as deltas, and then as a whole', async () => {
    const server = await wireServer([
      {
        thinking: 'Hm.',
        text: ['Hel', 'lo'],
        calls: [{ tool: 'read', input: { path: 'a' } }, { tool: 'list' }],
        usage: {
          inputTokens: 5,
          cacheReadTokens: 3,
          cacheWriteTokens: 2,
          cacheWriteHourTokens: 1,
          outputTokens: 9,
          reasoningTokens: 4,
        },
      },
    ]);
    const model = openai({ model: 'm', baseUrl: `${server.url}/v1`, environment: {} });
    const events = await call(model, request([user('Hi')]));
    expect(events.slice(3)).toEqual([
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'input', call: 1, tool: 'read', text: '{"path' },
      { type: 'input', call: 1, tool: 'read', text: '":"a"}' },
      { type: 'input_complete', call: 1, tool: 'read', input: { path: 'a' } },
      { type: 'input', call: 2, tool: 'list', text: '{' },
      { type: 'input', call: 2, tool: 'list', text: '}' },
      { type: 'input_complete', call: 2, tool: 'list', input: {} },
      {
        type: 'finished',
        message: {
          content: [
            { type: 'thinking', text: 'Hm.', signature: 'rs_test', opaque: 'c2VhbGVk' },
            { type: 'text', text: 'Hello' },
            { type: 'tool_call', tool: 'read', input: { path: 'a' } },
            { type: 'tool_call', tool: 'list', input: {} },
          ],
          stopReason: 'tool_calls',
          usage: {
            inputTokens: 5,
            outputTokens: 9,
            cacheReadTokens: 3,
            cacheWriteTokens: 2,
            cacheWriteHourTokens: 1,
            reasoningTokens: 4,
          },
          costUsd: null,
        },
      },
    ]);
    await server.close();
  });

  it('that came in one piece is read like a stream', async () => {
    const whole = {
      status: 'completed',
      error: null,
      output: [
        { id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'sealed' },
        { id: 'ws_1', type: 'web_search_call' },
        { ...message('Hi'), phase: 'commentary' },
        calling('f', '{"x":1}'),
      ],
      usage: { input_tokens: 3, output_tokens: 4 },
    };
    const server = await wireServer([
      { body: JSON.stringify(whole), headers: { 'content-type': 'application/json' } },
      {
        body: '{"status":"failed","error":{"code":"rate_limit_exceeded","message":"Slow down."}}',
        headers: { 'content-type': 'application/json' },
      },
      { body: '{"status":"in_progress","output":[]}', headers: { 'content-type': 'application/json' } },
    ]);
    const model = openai({ model: 'm', baseUrl: `${server.url}/v1`, environment: {}, isStreaming: false });
    const answer = await answerOf(model, request([user('Hi')]));
    expect(server.requests[0]?.body.stream).toBe(false);
    expect(answer).toMatchObject({
      content: [
        { type: 'text', text: 'Hi', signature: 'commentary' },
        { type: 'tool_call', tool: 'f', input: { x: 1 } },
      ],
      stopReason: 'tool_calls',
      usage: { inputTokens: 3, outputTokens: 4 },
    });
    expect(await thrownBy(answerOf(model, request([user('Hi')])))).toMatchObject({ code: 'rate_limited' });
    expect(await thrownBy(answerOf(model, request([user('Hi')])))).toMatchObject({ code: 'stream_cut' });
    await server.close();
  });

  it.each([
    ['deltas alone', [added(0, message('')), delta(0, 'Hel'), delta(0, 'lo'), completed()]],
    ['deltas of an item that was not begun', [delta(0, 'Hel'), delta(0, 'lo'), completed()]],
    ['the item as a whole', [done(0, message('Hello')), completed()]],
    [
      'the beginning, and then the whole',
      [added(0, message('')), delta(0, 'Hel'), done(0, message('Hello')), completed()],
    ],
    ['the end alone', [completed({ output: [message('Hello')] })]],
    ['all of it, twice begun', [created, added(0, message('')), added(0, message('')), delta(0, 'Hello'), completed()]],
    [
      'items by id',
      [
        { type: 'response.output_item.added', item: { ...message(''), id: 'a' } },
        { type: 'response.output_text.delta', item_id: 'a', delta: 'Hello' },
        { type: 'response.output_item.done', item: { ...message('Hello'), id: 'a' } },
        completed(),
      ],
    ],
    [
      'unknown events between',
      [
        created,
        { type: 'keepalive' },
        { type: 'response.new.thing', output_index: 0 },
        delta(0, 'Hello'),
        {},
        completed(),
      ],
    ],
  ])('may come as %s', (_kind, events) => {
    const outcome = read(events);
    expect(outcome.message?.content).toEqual([{ type: 'text', text: 'Hello' }]);
    expect(outcome.events.map((event) => (event.type === 'text' ? event.text : event.type)).join('')).toBe('Hello');
  });

  it('is cut where its end is missing, and whole where only its last brace is', () => {
    expect(read([created, delta(0, 'Hi'), done(0, message('Hi'))]).error).toBe('stream_cut');
    expect(readText('openai-responses', `${sse([JSON.stringify(delta(0, 'Hi'))])}data: [DONE]\n\n`).error).toBe(
      'stream_cut',
    );
    const braceless = JSON.stringify(completed({ usage: { output_tokens: 2 } })).slice(0, -1);
    const { message: answer } = readText('openai-responses', sse([JSON.stringify(delta(0, 'Hi')), braceless]));
    expect(answer).toMatchObject({ content: [{ type: 'text', text: 'Hi' }], usage: { outputTokens: 2 } });
  });

  it.each([
    [completed(), 'end'],
    [incomplete('max_output_tokens'), 'output_limit'],
    [incomplete('content_filter'), 'refusal'],
    [incomplete(), 'output_limit'],
  ])('that ends with %j stopped for %s', (event, stop) => {
    expect(read([created, delta(0, 'Hi'), event]).message?.stopReason).toBe(stop);
  });

  it('that refuses says so', () => {
    const refusal = { type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] };
    const wanted = { content: [{ type: 'text', text: 'No.' }], stopReason: 'refusal' };
    expect(read([added(0, refusal), delta(0, 'No.', 'refusal'), completed()]).message).toMatchObject(wanted);
    expect(read([done(0, refusal), completed()]).message).toMatchObject(wanted);
  });

  it('that starts anew in mid-stream takes back what it said', () => {
    const { message: answer, events } = read([
      created,
      delta(0, 'wrong'),
      created,
      delta(0, 'right'),
      done(0, message('right')),
      completed(),
    ]);
    expect(answer?.content).toEqual([{ type: 'text', text: 'right' }]);
    expect(events.map(({ type }) => type)).toEqual(['text', 'rollback', 'text']);
  });

  it('keeps the phase of each message, which may come with its end', () => {
    const { message: answer } = read([
      added(0, { ...message(''), phase: 'commentary' }),
      delta(0, 'I look.'),
      done(1, { ...message('So.'), phase: 'final_answer' }),
      completed(),
    ]);
    expect(answer?.content).toEqual([
      { type: 'text', text: 'I look.', signature: 'commentary' },
      { type: 'text', text: 'So.', signature: 'final_answer' },
    ]);
  });

  it.each([
    [{ input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } }, [6, 4, 0, 0, 5]],
    [
      { input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: 4, cache_write_tokens: 3 } },
      [3, 4, 3, 0, 5],
    ],
    [
      {
        input_tokens: 10,
        output_tokens: 5,
        input_tokens_details: { cache_write_tokens: 3, cache_write_tokens_details: { ttl_12h_tokens: 2 } },
      },
      [7, 0, 1, 2, 5],
    ],
    [
      { input_tokens: 3, output_tokens: 1, input_tokens_details: { cached_tokens: 99, cache_write_tokens: 99 } },
      [0, 3, 0, 0, 1],
    ],
    [null, [0, 0, 0, 0, 0]],
  ])('with usage %j counts each token once', (usage, expected) => {
    const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens, outputTokens } =
      read([created, completed({ usage })]).message?.usage ?? {};
    expect([inputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens, outputTokens]).toEqual(expected);
  });
});

describe('M3: reasoning in an answer', () => {
  it('is a part for each text, one below the other, with the seal of the whole at the last', () => {
    const summary = [
      { type: 'summary_text', text: 'A' },
      { type: 'summary_text', text: 'B' },
    ];
    const parts = [
      { type: 'thinking', text: 'A', signature: 'rs_1' },
      { type: 'thinking', text: '\n\nB', signature: 'rs_1', opaque: 'sealed' },
    ];
    const item = { id: 'rs_1', type: 'reasoning', encrypted_content: 'sealed' };
    const streamedIn = read([
      added(0, { ...item, encrypted_content: 'half', summary: [] }),
      delta(0, 'A', 'reasoning_summary_text', { summary_index: 0 }),
      delta(0, 'B', 'reasoning_summary_text', { summary_index: 1 }),
      done(0, { ...item, summary }),
      completed(),
    ]);
    expect(streamedIn.message?.content).toEqual(parts);
    expect(streamedIn.events.map((event) => ('text' in event ? event.text : ''))).toEqual(['A', '\n\n', 'B']);
    expect(read([done(0, { ...item, summary }), completed()]).message?.content).toEqual(parts);
  });

  it('that is sealed and says nothing is kept, and that is neither is not', () => {
    const item = { id: 'rs_1', type: 'reasoning', summary: [] };
    expect(read([done(0, { ...item, encrypted_content: 'sealed' }), completed()]).message?.content).toEqual([
      { type: 'thinking', text: '', signature: 'rs_1', opaque: 'sealed' },
    ]);
    expect(read([done(0, item), completed()]).message?.content).toEqual([]);
  });

  it('that led to a tool of the provider’s own is shown, but cannot go back', () => {
    const item = { id: 'rs_1', type: 'reasoning', summary: [{ text: 'I search.' }], encrypted_content: 'sealed' };
    const { message: answer } = read([
      done(0, item),
      added(1, { type: 'web_search_call' }),
      done(1, { type: 'web_search_call' }),
      done(2, { ...item, id: 'rs_2' }),
      done(3, message('So.')),
      completed(),
    ]);
    expect(answer?.content).toEqual([
      { type: 'thinking', text: 'I search.' },
      { type: 'thinking', text: 'I search.', signature: 'rs_2', opaque: 'sealed' },
      { type: 'text', text: 'So.' },
    ]);
  });
});

describe('M6: a failure inside a stream of the Responses API', () => {
  const failed = (code: string, text: string) => ({
    type: 'response.failed',
    response: { status: 'failed', error: { code, message: text } },
  });

  it.each([
    [failed('server_error', 'Oh.'), 'server_error'],
    [failed('rate_limit_exceeded', 'Slow.'), 'rate_limited'],
    [failed('context_length_exceeded', 'Long.'), 'context_overflow'],
    [failed('insufficient_quota', 'Poor.'), 'quota_exceeded'],
    [failed('invalid_prompt', 'Bad.'), 'bad_request'],
    [failed('bio_policy', 'No.'), 'bad_request'],
    [failed('image_file_not_found', 'Where?'), 'bad_request'],
    [failed('empty_image_file', 'Empty.'), 'bad_request'],
    [failed('vector_store_timeout', 'Late.'), 'server_error'],
    [{ type: 'response.failed', response: { error: null } }, 'server_error'],
    [{ type: 'error', code: 'server_is_overloaded', message: 'Busy.', param: null }, 'overloaded'],
    [
      { type: 'error', error: { type: 'invalid_request_error', code: 'invalid_api_key', message: 'Key.' } },
      'unauthorized',
    ],
    [
      { type: 'error', error: { type: 'invalid_request_error', code: 'context_length_exceeded', message: 'Long.' } },
      'context_overflow',
    ],
    [{ error: { message: 'Busy.', type: 'overloaded_error' } }, 'overloaded'],
    [{ error: 'no' }, 'server_error'],
  ])('that says %j is %s', (event, code) => {
    expect(read([created, delta(0, 'Hi'), event]).error).toBe(code);
  });

  it('says how long to wait where the provider does', () => {
    const said = (text: string) => {
      try {
        createDecoder(
          () => {},
          () => null,
        ).read(JSON.stringify(failed('rate_limit_exceeded', text)));
      } catch (error) {
        return failureDetails(error).retryAfterMs;
      }
      return null;
    };
    expect(said('Limit 30000. Please try again in 11.054s. Visit …')).toBe(11_054);
    expect(said('Please try again in 28ms.')).toBe(28);
    expect(said('Please try again later.')).toBeUndefined();
  });
});
