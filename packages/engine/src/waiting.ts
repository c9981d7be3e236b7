/**
 * Waiting for time, for work and for an abort. Timers of the clock never keep a process alive, so that a host that nobody
 * waits for does not hold its program open; whoever waits for something keeps the process alive here.
 */
import type { Clock } from './ports.ts';

const maxTimerMs = 2 ** 31 - 1;

let holds = 0;
let timer: NodeJS.Timeout | null = null;

/** Keeps the process alive until the returned function is called for the first time. */
export function keepAlive(): () => void {
  timer ??= setInterval(() => undefined, maxTimerMs);
  if (holds === 0) timer.ref();
  holds += 1;
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    holds -= 1;
    if (holds === 0) timer?.unref();
  };
}

/** Keeps the process alive for as long as this takes. */
export async function keepingAlive<Value>(work: Promise<Value>): Promise<Value> {
  const release = keepAlive();
  try {
    return await work;
  } finally {
    release();
  }
}

/** Resolves after `ms`, or as soon as `signal` aborts. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const end = () => {
      cancelTimer();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const cancelTimer = clock.at(clock.now() + ms, end);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** The result of `work`, or null as soon as `signal` aborts, whatever `work` does then. */
export async function untilAborted<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value | null> {
  let stopWaiting: () => void = () => undefined;
  const aborted = new Promise<null>((resolve) => {
    stopWaiting = () => resolve(null);
    if (signal.aborted) stopWaiting();
    else signal.addEventListener('abort', stopWaiting, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stopWaiting);
    // An error after the abort has nobody left to handle it.
    work.catch(() => undefined);
  }
}
