import type { Readable } from 'node:stream';
import { messageOf, PawlError } from '@pawl/protocol';
import { OutputCollector } from './output.ts';
import { endGroup, endWithProcess } from './process-group.ts';

export type ShellRun = {
  command: string;
  cwd: string;
  environment: Record<string, string>;
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
  /** Something that the command left running still holds its output open. */
  isHeldOpen: boolean;
};

/** How long after the shell's end its output must be silent to be taken for complete, ms. */
const drainMs = 150;
/** How long after the shell's end others may go on writing before they are no longer listened to, ms. */
const longestDrainMs = 1500;

/**
 * Runs a command in bash, in a process group of its own and without a terminal, its input empty. Both outputs go into
 * one pipe, so their order is the real one. Ends when the shell does: whatever it left in the background goes on, with
 * its output thrown away. A timeout or an abort ends the whole group.
 * @throws `no_shell` when bash cannot be started.
 */
export async function runShell(run: ShellRun): Promise<ShellEnd> {
  const { spawn } = await import('node:child_process');
  run.signal.throwIfAborted();
  const begun = performance.now();
  // The first shell only joins the two outputs and becomes the second one; Node cannot give one pipe to both.
  const child = spawn('/bin/bash', ['-c', 'exec /bin/bash -c "$1" 2>&1', 'bash', run.command], {
    cwd: run.cwd,
    env: run.environment,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  const leave = child.pid === undefined ? () => undefined : endWithProcess(child.pid);
  const output = new OutputCollector(run.maxOutputBytes);
  const listen = (chunk: Buffer) => {
    output.add(chunk);
    run.onOutput(chunk);
  };
  child.stdout.on('data', listen);
  const closed = new Promise<void>((resolve) => {
    child.stdout.on('close', () => resolve());
  });
  const exited = new Promise<{ exitCode: number | null; endedBy: NodeJS.Signals | null }>((resolve, reject) => {
    child.on('error', (error) => reject(cannotStart(error, run.cwd)));
    child.on('exit', (exitCode, endedBy) => resolve({ exitCode, endedBy }));
  });

  let ending: Promise<void> | null = null;
  let isTimedOut = false;
  const end = () => {
    if (child.pid !== undefined) ending ??= endGroup(child.pid, run.killGraceMs);
  };
  const timer = setTimeout(() => {
    isTimedOut = true;
    end();
  }, run.timeoutMs);
  run.signal.addEventListener('abort', end, { once: true });
  try {
    const exit = await exited;
    clearTimeout(timer);
    await ending;
    const isHeldOpen = !(await drained(closed, output));
    const isCancelled = run.signal.aborted;
    return { ...exit, output, durationMs: Math.round(performance.now() - begun), isTimedOut, isCancelled, isHeldOpen };
  } finally {
    leave();
    clearTimeout(timer);
    run.signal.removeEventListener('abort', end);
    child.stdout.off('data', listen);
    letGo(child.stdout);
  }
}

function cannotStart(error: Error, cwd: string): PawlError {
  return new PawlError(
    'no_shell',
    `The command could not be started in ${cwd}: ${messageOf(error)}. /bin/bash and the folder must exist.`,
    {
      cause: error,
    },
  );
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

/** Goes on emptying the pipe, so that what was left running is not killed by it, without keeping this process alive. */
function letGo(stream: Readable & { unref?(): unknown }): void {
  stream.on('error', () => stream.destroy());
  stream.resume();
  stream.unref?.();
}
