import type { DurableEvent, PawlEvent } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bus } from '../../src/runtime/bus.ts';
import { isDurable } from './support.ts';

const durable = (seq: number): DurableEvent => ({
  seq,
  at: 0,
  session: 's',
  type: 'stage.declared',
  data: { stage: String(seq) },
  by: { kind: 'engine', id: 'pawl' },
});

/** A bus over a log of its own; `add` appends and publishes as a session does. */
function busAt(seq: number) {
  const log = Array.from({ length: seq }, (_, index) => durable(index + 1));
  const bus = new Bus('s', seq, async (afterSeq) => log.slice(afterSeq));
  const add = (count = 1) => {
    const events = Array.from({ length: count }, (_, index) => durable(log.length + index + 1));
    log.push(...events);
    bus.publish(events);
  };
  const say = (text: string) => bus.broadcast({ type: 'stream.text', data: { text } });
  return { bus, add, say, log };
}

async function take(events: AsyncIterator<PawlEvent>, count: number): Promise<PawlEvent[]> {
  const taken: PawlEvent[] = [];
  while (taken.length < count) {
    const { done, value } = await events.next();
    if (done === true) break;
    taken.push(value);
  }
  return taken;
}

describe('the bus', () => {
  it('gives the durable events after a cursor, then what happens', async () => {
    const { bus, add } = busAt(3);
    const events = bus.subscribe({ seq: 1 });
    const read = take(events, 3);
    add();
    expect((await read).map((event) => isDurable(event) && event.seq)).toEqual([2, 3, 4]);
  });

  it('gives a client that joins in mid-message the message so far and then the live stream', async () => {
    const { bus, say } = busAt(1);
    bus.broadcast({ type: 'stream.started', data: { turn: 1, step: 1, model: 'm' } });
    say('Hello ');
    say('wor');
    const events = bus.subscribe({ seq: 0 });
    const read = take(events, 3);
    const [, snapshot] = await take(bus.subscribe({ seq: 0 }), 2);
    expect(snapshot).toMatchObject({ type: 'stream.snapshot', after: 1, n: 3, data: { text: 'Hello wor' } });
    say('ld');
    expect((await read)[2]).toMatchObject({ type: 'stream.text', data: { text: 'ld' }, after: 1, n: 4 });
  });

  it('gives nothing twice to a client that missed nothing', async () => {
    const { bus, say } = busAt(1);
    bus.broadcast({ type: 'stream.started', data: { turn: 1, step: 1, model: 'm' } });
    say('a');
    const events = bus.subscribe({ seq: 1, n: 2 });
    say('b');
    expect(await take(events, 1)).toMatchObject([{ type: 'stream.text', data: { text: 'b' }, n: 3 }]);
  });

  it('never skips a durable event for a slow client, and announces what else it missed', async () => {
    const { bus, add, say } = busAt(0);
    const events = bus.subscribe();
    for (let round = 0; round < 3000; round++) {
      add();
      say('x');
    }
    const all: PawlEvent[] = [];
    for await (const event of events) {
      all.push(event);
      if (event.type === 'stream.gap') break;
    }
    const seqs = all.filter(isDurable).map((event) => event.seq);
    expect(seqs).toEqual(Array.from({ length: 3000 }, (_, index) => index + 1));
    const said = all.filter((event) => event.type === 'stream.text').length;
    expect(all.at(-1)).toMatchObject({ type: 'stream.gap', data: { missed: 3000 - said } });
  });

  it('keeps nothing for a client that left', async () => {
    const { bus, add } = busAt(0);
    const events = bus.subscribe();
    await events.return?.();
    add();
    expect(await events.next()).toMatchObject({ done: true });
  });

  it('gives what is queued before it ends, and throws if the session was lost', async () => {
    const quiet = busAt(0);
    const last = quiet.bus.subscribe();
    quiet.add();
    quiet.bus.close(null);
    expect(await take(last, 5)).toHaveLength(1);

    const lost = busAt(0);
    const events = lost.bus.subscribe();
    lost.add();
    lost.bus.close(new PawlError('session_lost', 'Gone.'));
    expect(await events.next()).toMatchObject({ done: false });
    await expect(events.next()).rejects.toMatchObject({ code: 'session_lost' });
  });

  it('gives each subscriber every durable event once and in order, however it reads (property)', async () => {
    const action = fc.oneof(
      fc.record({ do: fc.constant('add' as const), count: fc.integer({ min: 1, max: 2000 }) }),
      fc.record({ do: fc.constant('say' as const), count: fc.integer({ min: 1, max: 3000 }) }),
      fc.record({ do: fc.constant('read' as const), count: fc.integer({ min: 1, max: 50 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 12 }), fc.nat(5), async (actions, from) => {
        const { bus, add, say, log } = busAt(5);
        const events = bus.subscribe({ seq: from });
        const seen: number[] = [];
        let waiting: Promise<void> | null = null;
        const read = async (count: number) => {
          for (const event of await take(events, count)) if (isDurable(event)) seen.push(event.seq);
        };
        for (const step of actions) {
          if (step.do === 'add') add(step.count);
          else if (step.do === 'say') for (let index = 0; index < step.count; index++) say('x');
          else if (waiting === null) waiting = read(step.count).finally(() => (waiting = null));
          await Promise.resolve();
        }
        bus.close(null);
        await waiting;
        await read(Number.POSITIVE_INFINITY);
        expect(seen).toEqual(log.slice(from).map((event) => event.seq));
      }),
      { numRuns: 60 },
    );
  });
});
