import type { Model } from '@pawl/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { anthropic, google, openai, openaiChat, type WireOptions } from '../src/index.ts';
import { type WireServer, wireServer } from '../src/testing/index.ts';
import { answerOf, request, user } from './support.ts';

let server: WireServer | undefined;
afterEach(() => server?.close());

const facts = { prices: [{ input: 1, output: 2 }] };
const sse = (...events: object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const counted = { prompt_tokens: 1_000_000, completion_tokens: 0 };

const wires: readonly (readonly [
  string,
  (options: WireOptions) => Model,
  (usage: object) => string,
  object,
  object,
])[] = [
  [
    'anthropic',
    anthropic,
    (usage) =>
      sse(
        { type: 'message_start', message: { ...usage } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'ok' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
        { type: 'message_stop' },
      ),
    {},
    { usage: { input_tokens: 1_000_000 } },
  ],
  [
    'openai',
    openai,
    (usage) =>
      sse(
        { type: 'response.output_text.delta', output_index: 0, delta: 'ok' },
        { type: 'response.completed', response: { ...usage } },
      ),
    {},
    { usage: { input_tokens: 1_000_000 } },
  ],
  [
    'openai-chat',
    openaiChat,
    (usage) => sse({ choices: [{ delta: { content: 'ok' }, finish_reason: 'stop' }], ...usage }),
    { usage: null },
    { usage: counted },
  ],
  [
    'google',
    google,
    (usage) => sse({ candidates: [{ content: { parts: [{ text: 'ok' }] }, finishReason: 'STOP' }], ...usage }),
    {},
    { usageMetadata: { promptTokenCount: 1_000_000 } },
  ],
];

describe('M4: an answer whose usage nobody counted', () => {
  it.each(wires)('has an unknown cost, and not none: %s', async (_wire, open, body, none, some) => {
    server = await wireServer([{ body: body(none) }, { body: body(some) }]);
    const model = open({ model: 'm', apiKey: 'k', baseUrl: server.url, environment: {}, facts });
    expect((await answerOf(model, request([user('?')]))).costUsd).toBeNull();
    expect((await answerOf(model, request([user('?')]))).costUsd).toBe(1);
  });
});
