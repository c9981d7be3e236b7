/** Clients that watch: slow ones, ones that reconnect from where they were, and ones that begin in the middle. */
import type { PawlEvent, TransientEvent } from '@pawl/protocol';
import type { Book } from '../checks/book.ts';
import type { Violate } from '../checks/invariants.ts';
import type { Machine } from './machine.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

export type Subscriber = {
  readonly session: string;
  readonly machine: Machine | null;
  /** The last durable event it saw, or where it began; null before the first. */
  readonly lastSeq: number | null;
  /** Begins to watch on a machine, from where it was. */
  connect(machine: Machine): void;
  disconnect(): void;
};

export type SubscriberWorld = {
  scheduler: Scheduler;
  random: Random;
  violate: Violate;
  book(session: string): Book;
  checkError(error: unknown, what: string): void;
};

export function createSubscriber(session: string, world: SubscriberWorld): Subscriber {
  const { scheduler, random, violate } = world;
  let machine: Machine | null = null;
  let lastSeq: number | null = random.chance(0.7) ? 0 : null;
  /** Tells answers of a connection that was given up from those of the present one. */
  let connection = 0;
  let events: AsyncIterator<PawlEvent> | null = null;
  /** The last event that is not kept, of this connection. */
  let place: { after: number; n: number } | null = null;

  const see = (event: PawlEvent): void => {
    const stored = world.book(session).events;
    if (!('seq' in event)) {
      seeTransient(event, stored.length);
      return;
    }
    if (lastSeq !== null && event.seq !== lastSeq + 1) {
      violate('I13 subscriber', `${session}: it saw event ${event.seq} after ${lastSeq}.`);
    }
    if (JSON.stringify(event) !== JSON.stringify(stored[event.seq - 1])) {
      violate('I13 subscriber', `${session}: it saw event ${event.seq} (${event.type}), which is not in the log.`);
    }
    lastSeq = event.seq;
  };

  /** What is not kept comes in its order, and what of it is left out is announced. */
  const seeTransient = (event: TransientEvent, head: number): void => {
    const { after, n, type } = event;
    const wrong = (why: string) => violate('I13 subscriber', `${session}: it saw ${type} ${after}.${n}, and ${why}.`);
    if (after > head) wrong(`the log stands at ${head}`);
    if (lastSeq !== null && after > lastSeq) wrong(`it stood at ${lastSeq}`);
    const isResumed = type === 'stream.gap' || type === 'stream.snapshot';
    const expected = place?.after === after ? place.n + 1 : 1;
    if (place !== null && !isResumed && n !== expected) wrong(`${expected} was next`);
    if (type === 'tool.progress' && event.data.state === 'running') {
      const call = world.book(session).calls.get(event.data.call);
      if (call?.startedBy == null) wrong(`call ${event.data.call} was never started`);
    }
    place = { after, n };
  };

  const read = (own: number): void => {
    if (machine === null || own !== connection) return;
    scheduler.add(machine, `subscriber of ${session} reads on after ${lastSeq}`, () => {
      if (own !== connection) return;
      events?.next().then(
        ({ done, value }) => {
          if (own !== connection) return;
          if (done === true) subscriber.disconnect();
          else {
            see(value);
            read(own);
          }
        },
        (error: unknown) => {
          world.checkError(error, 'a subscription');
          if (own === connection) subscriber.disconnect();
        },
      );
    });
  };

  const subscriber: Subscriber = {
    session,
    get machine() {
      return machine;
    },
    get lastSeq() {
      return lastSeq;
    },
    connect(chosen) {
      const own = ++connection;
      machine = chosen;
      place = null;
      chosen.host.open(session).then(
        (client) => {
          if (own !== connection) return;
          events = client.events(lastSeq === null ? undefined : { seq: lastSeq });
          read(own);
        },
        (error: unknown) => {
          world.checkError(error, 'opening to watch');
          if (own === connection) subscriber.disconnect();
        },
      );
    },
    disconnect() {
      connection += 1;
      machine = null;
      // The end of a subscription that is given up interests nobody.
      events?.return?.().catch(() => undefined);
      events = null;
    },
  };
  return subscriber;
}
