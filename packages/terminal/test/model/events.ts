/** Events of a session, numbered as they come. */
import type { DurableEvent, EventBody, JsonObject, PawlEvent, TransientBody } from '@pawl/protocol';
import { fold } from '../../src/model/fold.ts';
import { emptyModel, type Model } from '../../src/model/model.ts';

const usage = {
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};

type Body = EventBody | TransientBody;
const isTransient = (body: Body): body is TransientBody =>
  /^(?:stream\.|tool\.progress|activity|notice)/.test(body.type);

/** A second passes with each. */
export function eventsOf(...bodies: Body[]): PawlEvent[] {
  let seq = 0;
  let n = 0;
  return bodies.map((body): PawlEvent => {
    if (isTransient(body)) return { ...body, after: seq, n: ++n, session: 's' } as PawlEvent;
    seq++;
    return { ...body, seq, at: seq * 1000, session: 's', by: { kind: 'engine', id: 'e' } } as DurableEvent;
  });
}

export const folded = (...bodies: Body[]): Model =>
  eventsOf(...bodies).reduce((model, event) => fold(model, event, 9000), emptyModel);

export const started: Body[] = [
  { type: 'input.queued', data: { input: 'i1', delivery: 'queue', content: [{ type: 'text', text: 'Do it' }] } },
  { type: 'turn.started', data: { turn: 1, cause: 'input', input: 'i1' } },
  {
    type: 'message.added',
    data: { message: { role: 'user', content: [{ type: 'text', text: 'Do it' }], source: 'input', input: 'i1' } },
  },
  { type: 'step.started', data: { turn: 1, step: 1 } },
];

export const text = (words: string): Body => ({ type: 'stream.text', data: { text: words } });
export const thinking = (words: string): Body => ({ type: 'stream.thinking', data: { text: words } });
export const streaming: Body = { type: 'stream.started', data: { turn: 1, step: 1, model: 'demo' } };

export function answer(words: string, calls: { id: string; tool: string; input: JsonObject }[] = []): Body {
  const content = [
    ...(words === '' ? [] : [{ type: 'text' as const, text: words }]),
    ...calls.map((call) => ({ type: 'tool_call' as const, ...call })),
  ];
  const message = { role: 'assistant' as const, content, model: 'demo', stopReason: 'end' as const, usage, costUsd: 0 };
  return { type: 'message.added', data: { message } };
}

export const finished = (
  call: string,
  content: string,
  more: Partial<Extract<EventBody, { type: 'tool.finished' }>['data']> = {},
): Body => ({
  type: 'tool.finished',
  data: { call, status: 'ok', content, ...more },
});

export const ended: Body = {
  type: 'turn.ended',
  data: { turn: 1, outcome: 'completed', message: 'Done.', steps: 1, usage, costUsd: 0, unattendedDenials: 0 },
};
