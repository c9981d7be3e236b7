import type { Clock } from '@pawl/engine';
import { keepAlive } from '@pawl/engine/waiting';

/**
 * Resolves at `until` (Unix ms), or as soon as `signal` aborts or `interrupt` calls its listener. Keeps the
 * process alive meanwhile, which the clock alone does not.
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
    const release = keepAlive();
    const end = () => {
      release();
      cancelTimer();
      stopListening();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancelTimer = clock.at(until, end);
    const stopListening = interrupt(end);
    signal.addEventListener('abort', end, { once: true });
  });
}
