import type { Clock } from '@pawl/engine';

/** Keeps the process alive until the answer is called: what waits for a clock alone does not. */
export function holdProcess(): () => void {
  const hold = setInterval(() => undefined, 2 ** 30);
  return () => clearInterval(hold);
}

/**
 * Resolves at `until` (Unix ms), or as soon as `signal` aborts or `interrupt` calls. The process stays alive meanwhile:
 * the clock alone does not keep it so.
 */
export function waitUntil(
  until: number,
  clock: Clock,
  signal: AbortSignal,
  interrupt: (call: () => void) => () => void,
): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const letGo = holdProcess();
    const end = () => {
      letGo();
      callOff();
      forget();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const callOff = clock.at(until, end);
    const forget = interrupt(end);
    signal.addEventListener('abort', end, { once: true });
  });
}

/** Resolves with `work`, or as soon as `signal` aborts. */
export async function untilAborted(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = () => resolve();
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  try {
    await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
