/** Small sessions to fill logs with. */
import assert from 'node:assert/strict';
import type { SessionLog } from '@pawl/engine';
import { type DurableEvent, type EventBody, eventVersions, isPawlError, type PawlError } from '@pawl/protocol';

const by = { kind: 'human', id: 'conformance' } as const;

/** Gives bodies their place: numbered on from `afterSeq`, at the times `at`, `at + 1`, … */
export function place(session: string, afterSeq: number, bodies: readonly EventBody[], at = 1000): DurableEvent[] {
  return bodies.map((body, index) => {
    const version = eventVersions[body.type];
    const event = { ...body, seq: afterSeq + 1 + index, at: at + index, session, by };
    return version === 1 ? event : { ...event, version };
  });
}

export const created = (overrides: Partial<DataOf<'session.created'>> = {}): EventBody => ({
  type: 'session.created',
  data: {
    cwd: '/work',
    model: 'demo/demo',
    modelInfo: { contextTokens: 1000, outputTokens: 100, isPriceKnown: true },
    agent: 'builder',
    mode: 'manual',
    isAttended: true,
    rules: { deny: [], ask: [], allow: [] },
    limits: {
      steps: 20,
      durationMs: null,
      tokens: null,
      usd: null,
      sessionTokens: null,
      sessionUsd: null,
      approvalTimeoutMs: 0,
    },
    metadata: {},
    ...overrides,
  },
});

type DataOf<Type extends EventBody['type']> = Extract<EventBody, { type: Type }>['data'];

export const stage = (name: string): EventBody => ({ type: 'stage.declared', data: { stage: name } });

export const input = (text: string, delivery: DataOf<'input.queued'>['delivery'] = 'queue'): EventBody => ({
  type: 'input.queued',
  data: { input: 'i1', delivery, content: [{ type: 'text', text }] },
});

export const userSays = (text: string, source: 'input' | 'context' | 'engine' = 'input'): EventBody => ({
  type: 'message.added',
  data: { message: { role: 'user', content: [{ type: 'text', text }], source } },
});

export const modelSays = (text: string, thinking = ''): EventBody => ({
  type: 'message.added',
  data: {
    message: {
      role: 'assistant',
      content: [
        { type: 'thinking', text: thinking },
        { type: 'text', text },
      ],
      model: 'demo/demo',
      stopReason: 'end',
      usage: {
        inputTokens: 1,
        outputTokens: 1,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
        cacheWriteHourTokens: 0,
        reasoningTokens: 0,
      },
      costUsd: null,
    },
  },
});

export const toolFinished = (content: string): EventBody => ({
  type: 'tool.finished',
  data: { call: 't1_s1_c1', status: 'ok', content },
});

/** Appends bodies one a record and returns them as events. */
export async function fill(
  log: SessionLog,
  session: string,
  bodies: readonly EventBody[],
  at = 1000,
): Promise<DurableEvent[]> {
  const events = place(session, 0, bodies, at);
  for (const event of events) await log.append(session, event.seq - 1, [event]);
  return events;
}

/** That the promise fails with this code. */
export async function refuses(promise: Promise<unknown>, code: string, doing: string): Promise<PawlError> {
  const failure = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(failure !== null, `${doing} should have failed with "${code}", and succeeded.`);
  assert.ok(
    isPawlError(failure, code),
    `${doing} should have failed with a PawlError "${code}", not with ${String(failure)}.`,
  );
  return failure;
}
