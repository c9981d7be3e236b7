import type { Usage } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import { createHost, type ModelEvent } from '../../src/index.ts';
import { sumUsage, usageOf } from '../../src/readers/index.ts';
import { eventOf, fakeModel, usage as whole } from './support.ts';

const counted = (inputTokens: number, outputTokens: number): Usage => ({ ...whole, inputTokens, outputTokens });
const used = (tokens: number, costUsd: number | null): ModelEvent => ({
  type: 'usage',
  usage: counted(tokens, 1),
  costUsd,
});
const sent: ModelEvent = { type: 'activity', activity: 'waiting_headers' };
const word: ModelEvent = { type: 'text', text: 'So far' };

/** A session whose model says these events and then hangs, or fails; it is cancelled once they are all out. */
async function broken(events: readonly ModelEvent[], error?: PawlError) {
  const log = memoryLog();
  const model = fakeModel(async function* (_, signal) {
    yield* events;
    if (error !== undefined) throw error;
    yield { type: 'notice', level: 'info', code: 'hangs', message: 'It hangs.' };
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  });
  const session = await createHost({ log, model }).create({ cwd: '/w', limits: { sessionUsd: 100 } });
  const ended = session.run('Go.');
  if (error === undefined) {
    await eventOf(session, 'notice');
    await session.cancel();
  }
  const turn = await ended;
  const logged = await log.read(session.id, 1);
  const sum = sumUsage(usageOf(logged));
  return { session, turn, logged, sum };
}

describe('M4: a call of the model that was cancelled', () => {
  it('costs what the stream had said so far, in the turn, the session and the log', async () => {
    const { session, turn, logged, sum } = await broken([sent, used(100, 0.1), word, used(100, 0.2)]);
    expect(turn).toMatchObject({ outcome: 'cancelled', usage: counted(100, 1), costUsd: 0.2 });
    expect(await session.view()).toMatchObject({ usage: counted(100, 1), costUsd: 0.2 });
    const failure = logged.find(({ type }) => type === 'model.failed');
    expect(failure?.data).toMatchObject({ usage: counted(100, 1), costUsd: 0.2 });
    const answer = logged.find((event) => event.type === 'message.added' && 'isPartial' in event.data.message);
    expect(answer?.data).toMatchObject({ message: { isPartial: true, usage: counted(100, 1), costUsd: 0.2 } });
    expect(sum).toMatchObject({ calls: 1, knownCostUsd: 0.2, unpricedCalls: 0 });
  });

  it('costs that also where it had not said a word', async () => {
    const { turn, sum } = await broken([sent, used(100, 0.1)]);
    expect(turn).toMatchObject({ outcome: 'cancelled', usage: counted(100, 1), costUsd: 0.1 });
    expect(sum).toMatchObject({ calls: 1, knownCostUsd: 0.1 });
  });

  it.each([
    ['while it spoke', [sent, word]],
    ['while it was waited for', [sent]],
  ])('%s costs nobody knows what where the stream had said nothing of it', async (_when, events) => {
    const { session, turn, sum } = await broken(events);
    expect(turn).toMatchObject({ outcome: 'cancelled', costUsd: null });
    expect(sum).toMatchObject({ calls: 1, knownCostUsd: 0, unpricedCalls: 1 });
    // The session can be used under its limit in dollars all the same.
    expect(await session.run('Again.')).toMatchObject({ outcome: 'completed' });
  });

  it('costs nothing where no request was on its way', async () => {
    const { turn, sum } = await broken([{ type: 'activity', activity: 'connecting' }]);
    expect(turn).toMatchObject({ outcome: 'cancelled', costUsd: 0 });
    expect(sum.calls).toBe(0);
  });

  it('costs what its tries cost together', async () => {
    const again: ModelEvent = { type: 'activity', activity: 'retrying' };
    const { turn } = await broken([sent, used(100, 0.1), word, again, sent, used(50, 0.05)]);
    expect(turn).toMatchObject({ usage: counted(150, 2) });
    expect(turn.costUsd).toBeCloseTo(0.15);
    const withdrawn: ModelEvent = { type: 'rollback', reason: 'It broke.' };
    const untold = await broken([sent, word, again, withdrawn, sent, used(50, 0.05)]);
    expect(untold.turn).toMatchObject({ usage: counted(50, 1), costUsd: null });
  });
});

describe('M4: a call of the model that failed', () => {
  it('costs nothing if it was refused, and what it had said if it broke', async () => {
    const refused = await broken([sent], new PawlError('bad_request', 'No.'));
    expect(refused.turn).toMatchObject({ outcome: 'failed', costUsd: 0 });
    expect(refused.sum.calls).toBe(0);
    const cut = await broken([sent, used(100, 0.1), word], new PawlError('connection_lost', 'It broke.'));
    expect(cut.turn).toMatchObject({ outcome: 'failed', usage: counted(100, 1), costUsd: 0.1 });
    expect(cut.sum).toMatchObject({ calls: 1, knownCostUsd: 0.1 });
  });
});
