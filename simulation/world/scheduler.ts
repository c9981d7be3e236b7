/**
 * Decides what happens next. Whatever the engine waits for (an append, a chunk, a timer, a client) registers here, and
 * one seeded choice after another lets it happen; nothing else moves the simulated world, and time is a number.
 */
import type { Random } from './random.ts';

/** What runs on one simulated machine and sleeps or dies with it. */
export type Owner = { readonly name: string; isAsleep: boolean; isDead: boolean };

type Operation = { owner: Owner | null; label: string; run(): void };
type Timer = Operation & { at: number };

export type Scheduler = {
  /** Unix ms of the simulated world. */
  now(): number;
  /** Something that may happen from now on. An operation without owner happens whoever sleeps or dies. */
  add(owner: Owner | null, label: string, run: () => void): () => void;
  /** Something that may happen from a time on. */
  at(owner: Owner, at: number, label: string, run: () => void): () => void;
  /** Resolves when its turn comes; rejects at once when `signal` aborts. */
  wait(owner: Owner | null, label: string, signal?: AbortSignal): Promise<void>;
  /** Lets one thing happen. False if nothing can, or only after a leap in time and that is not wanted. */
  step(mayLeap: boolean): boolean;
  /** Forgets what a dead owner was waiting for. */
  drop(owner: Owner): void;
  /** Adds a line to the trace. */
  note(line: string): void;
};

/** How the next operation is chosen: a seed keeps to one, so that some runs are nearly in order and some nearly in reverse. */
const orders = ['any', 'any', 'oldest', 'newest'] as const;

export function createScheduler(random: Random, onNote: ((line: string) => void) | null): Scheduler {
  let now = 1_700_000_000_000;
  const operations = new Set<Operation>();
  const timers = new Set<Timer>();
  const order = random.pick(orders);
  /** How often time leaps to the next timer although other things could happen first. */
  const impatience = random.pick([0, 0.01, 0.05]);

  const note = (line: string): void => onNote?.(`${now - 1_700_000_000_000} ms  ${line}`);
  const isReady = (operation: Operation): boolean => operation.owner === null || !operation.owner.isAsleep;

  const earliest = (): Timer | null => {
    let first: Timer | null = null;
    for (const timer of timers) if (isReady(timer) && (first === null || timer.at < first.at)) first = timer;
    return first;
  };

  const choose = (): Operation | null => {
    const ready: Operation[] = [];
    for (const operation of operations) if (isReady(operation)) ready.push(operation);
    for (const timer of timers) if (timer.at <= now && isReady(timer)) ready.push(timer);
    if (ready.length === 0) return null;
    const isInOrder = order !== 'any' && random.chance(0.8);
    if (!isInOrder) return random.pick(ready);
    return (order === 'oldest' ? ready[0] : ready.at(-1)) ?? null;
  };

  const perform = (operation: Operation): void => {
    operations.delete(operation);
    timers.delete(operation as Timer);
    note(`${operation.owner === null ? 'world' : operation.owner.name}: ${operation.label}`);
    operation.run();
  };

  const add: Scheduler['add'] = (owner, label, run) => {
    if (owner?.isDead === true) return () => undefined;
    const operation = { owner, label, run };
    operations.add(operation);
    return () => operations.delete(operation);
  };

  return {
    now: () => now,
    add,
    at(owner, at, label, run) {
      if (owner.isDead) return () => undefined;
      const timer = { owner, at, label, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    wait(owner, label, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted === true) {
          reject(signal.reason);
          return;
        }
        const give = () => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = add(owner, label, () => {
          signal?.removeEventListener('abort', give);
          resolve();
        });
        signal?.addEventListener('abort', give, { once: true });
      });
    },
    step(mayLeap) {
      now += random.chance(0.5) ? 0 : random.below(8);
      if (mayLeap && impatience > 0 && random.chance(impatience)) now = Math.max(now, earliest()?.at ?? now);
      const chosen = choose();
      if (chosen !== null) {
        perform(chosen);
        return true;
      }
      const next = mayLeap ? earliest() : null;
      if (next === null) return false;
      now = Math.max(now, next.at);
      perform(next);
      return true;
    },
    drop(owner) {
      for (const operation of operations) if (operation.owner === owner) operations.delete(operation);
      for (const timer of timers) if (timer.owner === owner) timers.delete(timer);
    },
    note,
  };
}

/** Lets everything that can go on without the scheduler do so: promises settle before an immediate runs. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
