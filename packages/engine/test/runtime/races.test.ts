import { describe, expect, it } from 'vitest';
import { collect, eventOf, fakeHost, fakeModel, fakeTool, isDurable, ofType } from './support.ts';

/** Lets this many rounds of other work go first. */
async function wait(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) await Promise.resolve();
}

describe('a cancel that races an approval (scenario 9)', () => {
  it('ends cancelled in 300 interleavings, and never runs the tool after the cancel', async () => {
    let approved = 0;
    for (let round = 0; round < 300; round++) {
      const tool = fakeTool(
        'deed',
        (_, { signal }) =>
          new Promise((_resolve, reject) => {
            if (signal.aborted) reject(signal.reason);
            signal.addEventListener('abort', () => reject(signal.reason));
          }),
        { effect: 'write' },
      );
      const host = fakeHost(fakeModel([{ tool: 'deed' }]), { tools: [tool] });
      const session = await host.create({ cwd: '/w', isAttended: true });
      const events = collect(session.send('Go.'));
      const { data } = await eventOf(session, 'approval.requested');
      const answers = Promise.allSettled([
        wait(round % 20).then(() => session.cancel()),
        wait(Math.floor(round / 20)).then(() => session.approve(data.call)),
      ]);
      const durable = (await events).filter(isDurable);
      await answers;
      expect(ofType(durable, 'turn.ended')).toMatchObject([{ data: { outcome: 'cancelled' } }]);
      const cancelled = durable.findIndex((event) => event.type === 'cancel.requested');
      const started = durable.findIndex((event) => event.type === 'tool.started');
      expect(started).toBeLessThan(cancelled);
      expect(ofType(durable, 'tool.finished')).toMatchObject([{ data: { status: 'cancelled' } }]);
      if (started >= 0) approved += 1;
      await host.close();
    }
    // Both ends of the race were seen, or the interleavings prove nothing.
    expect(approved).toBeGreaterThan(0);
    expect(approved).toBeLessThan(300);
  });
});

describe('a long life', () => {
  const median = (values: number[]) =>
    values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;

  it('keeps the time of a turn flat over a thousand turns (scenario 14)', async () => {
    const host = fakeHost(fakeModel());
    const session = await host.create({ cwd: '/w' });
    const times: number[] = [];
    for (let turn = 0; turn < 1000; turn++) {
      const begun = process.cpuUsage();
      await session.run('Go.');
      const { user, system } = process.cpuUsage(begun);
      times.push(user + system);
    }
    const early = median(times.slice(100, 300));
    const late = median(times.slice(-200));
    console.log(`CPU of a turn: ${early} µs early, ${late} µs after a thousand`);
    expect(late).toBeLessThan(early * 3 + 200);
  });

  it('keeps the time of a step flat over a turn of a thousand steps', async () => {
    const calls = Array.from({ length: 999 }, (_, n) => [{ tool: 'echo', input: { n } }]);
    const session = await fakeHost(fakeModel(...calls)).create({ cwd: '/w', limits: { steps: 1000 } });
    const times: number[] = [];
    let begun = process.cpuUsage();
    for await (const event of session.send('Go.')) {
      if (event.type !== 'step.started') continue;
      const { user, system } = process.cpuUsage(begun);
      times.push(user + system);
      begun = process.cpuUsage();
    }
    expect(times).toHaveLength(1000);
    const early = median(times.slice(100, 300));
    const late = median(times.slice(-200));
    console.log(`CPU of a step: ${early} µs early, ${late} µs after a thousand`);
    expect(late).toBeLessThan(early * 3 + 200);
  });
});
