/**
 * Timers of the clock never keep a process alive, so that a host nobody waits for does not hold its program open. Whoever
 * waits for something says so here, and the process lives until the last of them has what it waited for.
 */

const longestTimerMs = 2 ** 31 - 1;

let holds = 0;
let timer: NodeJS.Timeout | null = null;

/** Keeps the process alive until the returned function is called for the first time. */
export function keepAlive(): () => void {
  timer ??= setInterval(() => undefined, longestTimerMs);
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
export async function awake<Value>(work: Promise<Value>): Promise<Value> {
  const release = keepAlive();
  try {
    return await work;
  } finally {
    release();
  }
}
