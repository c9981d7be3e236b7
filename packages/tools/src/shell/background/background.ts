/** Processes that run on while the session does other things. None outlives the program that started it. */
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { messageOf, PawlError } from '@pawl/protocol';
import type { ToolOptions } from '../../options.ts';
import { type Launch, mostSetups } from '../../sandbox/index.ts';
import { temporaryFolder } from '../../sandbox/temporaries.ts';
import { type ShellExit, type ShellProcess, spawnShell } from '../process-spawn.ts';
import { OutputLog } from './log.ts';

export type BackgroundProcess = {
  id: string;
  command: string;
  /** Number of its process group. */
  group: number;
  /** Unix ms. */
  startedAt: number;
  log: OutputLog;
  /** How it is contained; null for a free one. */
  launch: Launch | null;
  /** How it ended; null while it runs. */
  readonly end: BackgroundEnd | null;
  /** Ends it with all that it started. Resolves when it has ended. */
  stop(): Promise<void>;
  /** Resolves when there is more output, or it has ended, or `signal` aborts. */
  changed(signal: AbortSignal): Promise<void>;
};

type BackgroundEnd = {
  exitCode: number | null;
  endedBy: NodeJS.Signals | null;
  why: 'itself' | 'stopped' | 'overtime';
  durationMs: number;
  /** What had to be set right after it, a sentence, or null. */
  setRight: string | null;
};

type BackgroundStart = {
  session: string;
  command: string;
  cwd: string;
  environment: Readonly<Record<string, string>>;
  /** Contains it, anew each time; null leaves it free. */
  launcher: (() => Promise<Launch | null>) | null;
  /** It ends then, ms; not beyond the longest time for such processes. */
  timeoutMs: number | null;
  /** Called when it has ended without having been stopped. */
  onEnd(process: BackgroundProcess): void;
};

export type Background = {
  /** @throws `too_many_processes`, `no_shell`, `no_log`. */
  start(start: BackgroundStart): Promise<BackgroundProcess>;
  /** Those of a session, the latest last; also some that have ended. */
  list(session: string): readonly BackgroundProcess[];
};

type Options = Pick<ToolOptions, 'maxBackgroundMs' | 'maxBackgroundProcesses' | 'maxLogBytes' | 'killGraceMs'>;

/** Of a session's processes that have ended, so many can still be looked at. */
const maxEnded = 32;

export function createBackground(options: Options): Background {
  const sessions = new Map<string, BackgroundProcess[]>();
  /** How many of a session are being started. */
  const starting = new Map<string, number>();
  const count = (session: string, more: number) => starting.set(session, (starting.get(session) ?? 0) + more);
  let folder: Promise<string> | null = null;
  const logFolder = () => {
    folder ??= temporaryFolder('processes');
    return folder;
  };
  return {
    list: (session) => sessions.get(session) ?? [],
    async start(start) {
      const processes = sessions.get(start.session) ?? [];
      sessions.set(start.session, processes);
      const running = processes.filter(({ end }) => end === null);
      if (running.length + (starting.get(start.session) ?? 0) >= options.maxBackgroundProcesses) {
        throw new PawlError(
          'too_many_processes',
          `${options.maxBackgroundProcesses} background processes run already. Stop one first: ${running.map(({ id }) => id).join(', ')}.`,
        );
      }
      count(start.session, 1);
      let log: OutputLog | null = null;
      try {
        const id = newId(processes);
        log = openLog(join(await logFolder(), `${id}.log`), options.maxLogBytes);
        const process = await begin(id, log, start, options);
        processes.push(process);
        forgetEnded(processes);
        return process;
      } catch (error) {
        log?.close();
        throw error;
      } finally {
        count(start.session, -1);
      }
    },
  };
}

/** Not counted from 1: a session that is taken up again has others in its history. */
function newId(processes: readonly BackgroundProcess[]): string {
  const letters = 'abcdefghjkmnpqrstuvwxyz';
  const id = `p${Array.from({ length: 4 }, () => letters[randomInt(letters.length)]).join('')}`;
  return processes.some((process) => process.id === id) ? newId(processes) : id;
}

function openLog(path: string, maxBytes: number): OutputLog {
  try {
    return new OutputLog(path, maxBytes);
  } catch (cause) {
    throw new PawlError('no_log', `The log of the process cannot be written: ${messageOf(cause)}.`, { cause });
  }
}

function forgetEnded(processes: BackgroundProcess[]): void {
  const ended = processes.filter(({ end }) => end !== null);
  for (const process of ended.slice(0, Math.max(0, ended.length - maxEnded))) {
    process.log.close();
    processes.splice(processes.indexOf(process), 1);
  }
}

/** A process that was started, and what has become of it. */
type Running = BackgroundStart & {
  log: OutputLog;
  killGraceMs: number;
  /** `performance.now()` at the start. */
  begunAt: number;
  shell: ShellProcess;
  launch: Launch | null;
  /** Why it ends, once that is decided. */
  why: BackgroundEnd['why'];
  end: BackgroundEnd | null;
  /** Called when there is more output, and at the end. */
  waiting: Set<() => void>;
};

async function begin(
  id: string,
  log: OutputLog,
  start: BackgroundStart,
  { maxBackgroundMs, killGraceMs }: Options,
): Promise<BackgroundProcess> {
  const startedAt = Date.now();
  const begunAt = performance.now();
  const waiting = new Set<() => void>();
  const launched = await launchShell(start, log, waiting);
  const running: Running = { ...start, ...launched, log, killGraceMs, begunAt, why: 'itself', end: null, waiting };
  const timeoutMs = Math.min(start.timeoutMs ?? maxBackgroundMs, maxBackgroundMs);
  const timer = setTimeout(() => stop(running, 'overtime'), timeoutMs).unref();
  const process: BackgroundProcess = {
    id,
    command: start.command,
    get group() {
      return running.shell.id;
    },
    startedAt,
    log,
    get launch() {
      return running.launch;
    },
    get end() {
      return running.end;
    },
    async stop() {
      // Unless somebody waits for its end.
      running.shell.keepsProcess(true);
      stop(running, 'stopped');
      await ended;
    },
    changed: (signal) => untilChanged(running, signal),
  };
  const ended = untilExited(running).then((exit) => {
    clearTimeout(timer);
    return finish(running, exit, process);
  });
  ended.catch(() => undefined);
  return process;
}

async function launchShell(
  { command, cwd, environment, launcher }: BackgroundStart,
  log: OutputLog,
  waiting: Running['waiting'],
): Promise<{ shell: ShellProcess; launch: Launch | null }> {
  const launch = (await launcher?.()) ?? null;
  const onOutput = (chunk: Buffer) => {
    log.add(chunk);
    wake(waiting);
  };
  try {
    const shell = await spawnShell({ command, cwd, environment, launch, onOutput });
    // A program that has nothing else to do ends, and with it all that it started.
    shell.keepsProcess(false);
    return { shell, launch };
  } catch (error) {
    await launch?.release();
    throw error;
  }
}

async function untilExited(running: Running): Promise<ShellExit> {
  for (let setup = 1; ; setup++) {
    const exit = await running.shell.exited;
    if (exit.hasBegun || setup === mostSetups || running.why !== 'itself') return exit;
    // Something that was to be mounted has gone in the same moment; nothing was run yet.
    running.shell.leave();
    await running.launch?.release();
    Object.assign(running, await launchShell(running, running.log, running.waiting));
  }
}

async function finish(running: Running, exit: ShellExit, process: BackgroundProcess): Promise<void> {
  const { shell, launch, begunAt, waiting, onEnd } = running;
  await drained(shell.output);
  shell.leave();
  const { why } = running;
  const durationMs = Math.round(performance.now() - begunAt);
  const end: BackgroundEnd = { exitCode: exit.exitCode, endedBy: exit.endedBy, why, durationMs, setRight: null };
  running.end = end;
  try {
    // What a free one left in the background ends with it: nobody would know of it.
    if (launch === null) await shell.end(0);
    end.setRight = (await launch?.release()) ?? null;
  } finally {
    wake(waiting);
    if (running.why !== 'stopped') onEnd(process);
  }
}

function stop(running: Running, why: BackgroundEnd['why']): void {
  if (running.end !== null) return;
  if (running.why === 'itself') running.why = why;
  running.shell.end(running.killGraceMs).catch(() => undefined);
}

function wake(waiting: Running['waiting']): void {
  for (const resolve of waiting) resolve();
}

function untilChanged({ end, waiting }: Running, signal: AbortSignal): Promise<void> {
  if (end !== null || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      waiting.delete(done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    waiting.add(done);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** How long after its end a process's last output is waited for, ms. */
const longestDrainMs = 500;

/** When the output has come to its end, or has had its time to. */
function drained(output: Socket): Promise<void> {
  if (output.closed) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, longestDrainMs).unref();
    output.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
