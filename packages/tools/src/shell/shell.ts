import { isPawlError } from '@pawl/protocol';
import { OutputCollector } from './output.ts';
import { type ShellStart, spawnShell } from './process-spawn.ts';

export type ShellRun = ShellStart & {
  timeoutMs: number;
  killGraceMs: number;
  maxOutputBytes: number;
  signal: AbortSignal;
  onOutput(chunk: Buffer): void;
};

export type ShellEnd = {
  exitCode: number | null;
  /** The signal that ended the shell. */
  endedBy: NodeJS.Signals | null;
  output: OutputCollector;
  durationMs: number;
  isTimedOut: boolean;
  isCancelled: boolean;
  /** What it was cancelled for is that the time of its turn was up. */
  isTurnOver: boolean;
  /** Something that the command left running still holds its output open. */
  isHeldOpen: boolean;
  /** False where the sandbox could not be made, and so nothing was run. */
  hasBegun: boolean;
};

/** How long after the shell's end its output must be silent to be taken for complete, ms. */
const drainMs = 150;
/** How long after the shell's end others may go on writing before they are no longer listened to, ms. */
const longestDrainMs = 1500;

/**
 * Runs a command in bash, in a process group of its own and without a terminal, its input empty. Ends when the shell
 * does: whatever a free one left in the background goes on, with its output thrown away; what a contained one left ends
 * with it. A timeout or an abort ends the whole group.
 * @throws `no_shell` when bash cannot be started.
 */
export async function runShell(run: ShellRun): Promise<ShellEnd> {
  run.signal.throwIfAborted();
  const begun = performance.now();
  const output = new OutputCollector(run.maxOutputBytes);
  let isListening = true;
  const listen = (chunk: Buffer) => {
    if (!isListening) return;
    output.add(chunk);
    run.onOutput(chunk);
  };
  const shell = await spawnShell({ ...run, onOutput: listen });
  const closed = new Promise<void>((resolve) => {
    shell.output.on('close', () => resolve());
  });

  let ending: Promise<void> | null = null;
  let isTimedOut = false;
  const end = () => {
    ending ??= shell.end(run.killGraceMs);
  };
  const timer = setTimeout(() => {
    isTimedOut = true;
    end();
  }, run.timeoutMs);
  run.signal.addEventListener('abort', end, { once: true });
  try {
    if (run.signal.aborted) end();
    const exit = await shell.exited;
    clearTimeout(timer);
    await ending;
    const isDrained = await drained(closed, output);
    // What a sandbox held is gone with it, however long its pipe takes to close.
    const isHeldOpen = !isDrained && run.launch?.hasInfo !== true;
    const isCancelled = run.signal.aborted;
    const isTurnOver = isCancelled && isPawlError(run.signal.reason, 'max_duration');
    const durationMs = Math.round(performance.now() - begun);
    return { ...exit, output, durationMs, isTimedOut, isCancelled, isTurnOver, isHeldOpen };
  } finally {
    shell.leave();
    clearTimeout(timer);
    run.signal.removeEventListener('abort', end);
    // It goes on being emptied, so that what was left running is not killed by it, and keeps this process from nothing.
    isListening = false;
    shell.output.unref();
  }
}

/** Whether the pipe closed. If not, waits until nothing comes any more, but not for ever. */
async function drained(closed: Promise<void>, output: OutputCollector): Promise<boolean> {
  const deadline = performance.now() + longestDrainMs;
  let isClosed = false;
  const done = closed.then(() => {
    isClosed = true;
  });
  for (let seen = -1; seen !== output.totalBytes && performance.now() < deadline && !isClosed; ) {
    seen = output.totalBytes;
    await Promise.race([done, quiet()]);
  }
  return isClosed;
}

/** A pause that lets the pipe be read once more after its time is over, however late the timer comes. */
const quiet = () => new Promise<void>((resolve) => setTimeout(() => setImmediate(resolve), drainMs));
