import { setTimeout as wait } from 'node:timers/promises';
import { systemCode } from '../failures.ts';

const pollMs = 25;

/** Sends a signal to every process of a group. False if none is left. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    // EPERM: some are left, but they are no longer ours to end.
    return systemCode(error) !== 'ESRCH' && systemCode(error) !== 'EPERM';
  }
}

/** Groups that run. None outlives this process, however suddenly that ends by itself. */
const running = new Set<number>();
let isWatching = false;

/** Until the returned function is called, the group is killed when this process exits. */
export function endWithProcess(group: number): () => void {
  if (!isWatching) {
    process.on('exit', () => {
      for (const each of running) signalGroup(each, 'SIGKILL');
    });
  }
  isWatching = true;
  running.add(group);
  return () => running.delete(group);
}

/** Ends a process group at once. */
export function killGroup(group: number): void {
  signalGroup(group, 'SIGKILL');
}

/**
 * Ends a process group: asks it to, and after `graceMs` makes it. Resolves when none of it is left, or `isOver`, or all
 * were killed.
 */
export async function endGroup(group: number, graceMs: number, isOver: () => boolean = () => false): Promise<void> {
  const deadline = performance.now() + graceMs;
  let isAlive = signalGroup(group, 'SIGTERM');
  while (isAlive && !isOver() && performance.now() < deadline) {
    await wait(pollMs);
    isAlive = signalGroup(group, 0);
  }
  if (isAlive) signalGroup(group, 'SIGKILL');
}
