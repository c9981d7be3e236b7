import type { DurableEvent, EventBody } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { sumUsage, sumUsageBy, usageOf } from '../src/readers/index.ts';

const none = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};

/** A log of these bodies, a second apart. */
function logOf(bodies: readonly EventBody[]): DurableEvent[] {
  const by = { kind: 'engine', id: 'engine' } as const;
  return bodies.map((body, index) => ({ ...body, seq: index + 1, at: 1000 * (index + 1), session: 's', by }));
}

const created: EventBody = {
  type: 'session.created',
  data: {
    cwd: '/work',
    model: 'a/one',
    modelInfo: { contextTokens: 1000, outputTokens: 100, isPriceKnown: true },
    agent: 'builder',
    mode: 'manual',
    isAttended: false,
    rules: { deny: [], ask: [], allow: [] },
    limits: {
      steps: 1,
      durationMs: null,
      tokens: null,
      usd: null,
      sessionTokens: null,
      sessionUsd: null,
      approvalTimeoutMs: 0,
    },
    metadata: {},
  },
};

function answered(model: string, outputTokens: number, costUsd: number | null): EventBody {
  const usage = { ...none, outputTokens };
  const message = { role: 'assistant' as const, content: [], model, stopReason: 'end' as const, usage, costUsd };
  return { type: 'message.added', data: { message } };
}

const failed = (more: object): EventBody => ({
  type: 'model.failed',
  data: { turn: 1, step: 1, attempt: 1, error: { code: 'stream_cut', message: 'Cut.' }, ...more },
});

describe('what a session used (S5)', () => {
  it('is counted by the model that answered and the agent of the moment', () => {
    const entries = usageOf(
      logOf([
        created,
        answered('a/one', 1, 0.5),
        { type: 'session.configured', data: { agent: 'planner', model: 'b/two' } },
        answered('c/other', 2, 0.25),
      ]),
    );
    expect(entries.map(({ at, model, agent, costUsd }) => [at, model, agent, costUsd])).toEqual([
      [2000, 'a/one', 'builder', 0.5],
      [4000, 'c/other', 'planner', 0.25],
    ]);
  });

  it('includes failed calls that were billed, and no others', () => {
    const usage = { ...none, inputTokens: 7 };
    const entries = usageOf(logOf([created, failed({}), failed({ usage, costUsd: 0.1 }), failed({ usage })]));
    expect(entries.map(({ model, costUsd }) => [model, costUsd])).toEqual([
      ['a/one', 0.1],
      ['a/one', null],
    ]);
    expect(sumUsage(entries)).toEqual({
      calls: 2,
      usage: { ...none, inputTokens: 14 },
      knownCostUsd: 0.1,
      unpricedCalls: 1,
    });
  });

  it('leaves out what a fork was copied with', () => {
    const forked: EventBody = { type: 'session.forked', data: { from: { session: 'other', seq: 2 } } };
    expect(usageOf(logOf([created, answered('a/one', 1, 1), forked, answered('a/one', 2, 2)]))).toMatchObject([
      { costUsd: 2 },
    ]);
  });

  it('is summed by keys, sorted, and an unknown cost is counted and not taken for nothing', () => {
    const entries = usageOf(logOf([created, answered('b/x', 1, 1), answered('a/x', 1, null), answered('b/x', 1, 2)]));
    expect(sumUsageBy(entries, ({ model }) => [model])).toMatchObject([
      { keys: ['a/x'], sum: { calls: 1, knownCostUsd: 0, unpricedCalls: 1 } },
      { keys: ['b/x'], sum: { calls: 2, knownCostUsd: 3, unpricedCalls: 0 } },
    ]);
    expect(sumUsage([])).toEqual({ calls: 0, usage: none, knownCostUsd: 0, unpricedCalls: 0 });
  });
});

it('S5: counts what summaries of a compaction cost, failed ones too, and not those that asked no model', () => {
  const usage = { ...none, outputTokens: 5 };
  const data = { compaction: 1, kind: 'summary' as const, summary: '', files: [], recalled: [] };
  const entries = usageOf(
    logOf([
      created,
      { type: 'compaction.summarised', data: { ...data, usage, costUsd: 0.5 } },
      { type: 'compaction.failed', data: { compaction: 2, message: 'Down.', usage, costUsd: 0.25 } },
      { type: 'compaction.failed', data: { compaction: 3, message: 'Down.', usage: none, costUsd: 0 } },
    ]),
  );
  expect(sumUsage(entries)).toMatchObject({ calls: 2, knownCostUsd: 0.75, usage: { outputTokens: 10 } });
});
