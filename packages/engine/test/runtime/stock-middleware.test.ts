import { describe, expect, it } from 'vitest';
import type { Model, RequestMiddleware } from '../../src/index.ts';
import { withContext, withCostBudget, withSystem } from '../../src/index.ts';
import { collect, fakeHost, fakeModel, finished, ofType } from './support.ts';

const cwd = process.cwd();

function start(model: Model, ...requestMiddleware: RequestMiddleware[]) {
  return fakeHost(model, { requestMiddleware, system: 'You are a test.' }).create({ cwd });
}

const failureOf = async (session: Awaited<ReturnType<typeof start>>) => {
  const [failed] = ofType(await collect(session.send('go on')), 'model.failed');
  return failed?.data.error;
};

/** Answers with these costs in turn; null is unknown. */
const costing = (...costs: (number | null)[]) =>
  fakeModel(
    ...costs.map(
      (costUsd) =>
        async function* () {
          const event = finished([{ type: 'text', text: 'Done.' }]);
          yield event.type === 'finished' ? { ...event, message: { ...event.message, costUsd } } : event;
        },
    ),
  );

describe('M12: withSystem', () => {
  it('replaces the system prompt, or builds on it, the first of the list outermost', async () => {
    const model = fakeModel();
    const session = await start(
      model,
      withSystem('Be brief.'),
      withSystem(({ system }) => `${system} Answer in French.`),
    );
    await session.run('hello');
    expect(model.requests[0]?.system).toBe('Be brief. Answer in French.');
  });
});

describe('M12: withContext', () => {
  it('stands after the history, anew each time, and is no part of it', async () => {
    const model = fakeModel([{ tool: 'echo' }]);
    let count = 0;
    const session = await start(
      model,
      withContext(async () => `It is ${++count} o'clock.`),
      withContext(() => null),
      withContext(({ messages }) => `There are ${messages.length} messages.`),
    );
    await session.run('hello');
    expect(model.requests.map(({ tail }) => tail)).toEqual([
      "It is 1 o'clock.\n\nThere are 1 messages.",
      "It is 2 o'clock.\n\nThere are 3 messages.",
    ]);
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("o'clock");
    expect(model.requests[1]?.messages[0]).toBe(model.requests[0]?.messages[0]);
  });

  it('fails the call with what went wrong when it cannot be made', async () => {
    const session = await start(
      fakeModel(),
      withContext(() => {
        throw new Error('the clock has stopped');
      }),
    );
    expect(await failureOf(session)).toEqual({
      code: 'context_failed',
      message: 'The context of a model call could not be made: the clock has stopped',
    });
  });
});

describe('M12: withCostBudget', () => {
  it('lets calls through until their answers have cost so much, over all sessions, then refuses before a call', async () => {
    const model = costing(0.03, 0.04, 0.05, 0.06);
    const budget = withCostBudget({ usd: 0.1 });
    const host = fakeHost(model, { requestMiddleware: [budget] });
    const [one, other] = [await host.create({ cwd }), await host.create({ cwd })];
    for (const session of [one, other, one]) expect((await session.run('go on')).outcome).toBe('completed');
    expect(await failureOf(other)).toEqual({
      code: 'budget_spent',
      message: 'The budget of $0.1 is spent: $0.1200. Raise it to go on; the session keeps all that was done.',
    });
    expect((await other.view()).lastTurn?.outcome).toBe('failed');
    expect(model.requests).toHaveLength(3);
  });

  it('keeps an answer of unknown cost, and refuses the next call', async () => {
    const model = costing(0.01, null);
    const session = await start(model, withCostBudget({ usd: 1 }));
    await session.run('one');
    expect((await session.run('two')).text).toBe('Done.');
    expect(await failureOf(session)).toMatchObject({ code: 'price_unknown' });
    expect(model.requests).toHaveLength(2);
  });

  it('goes on with calls that cost nothing', async () => {
    const session = await start(costing(0, 0, 0), withCostBudget({ usd: 0.01 }));
    for (const words of ['one', 'two', 'three']) expect((await session.run(words)).outcome).toBe('completed');
  });

  it('refuses a budget that is none', () => {
    for (const usd of [0, -1, Number.NaN]) {
      expect(() => withCostBudget({ usd })).toThrow(expect.objectContaining({ code: 'bad_budget' }));
    }
  });
});
