/** Processes that run on while the session does other things. None outlives the program that started it. */
import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { messageOf, PawlError } from '@pawl/protocol';
import type { ToolOptions } from '../../options.ts';
import { type Launch, mostSetups } from '../../sandbox/index.ts';
import { temporaryFolder } from '../../sandbox/temporaries.ts';
import { spawnShell } from '../process-spawn.ts';
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
  end: BackgroundEnd | null;
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

async function begin(
  id: string,
  log: OutputLog,
  { command, cwd, environment, launcher, timeoutMs, onEnd }: BackgroundStart,
  { maxBackgroundMs, killGraceMs }: Options,
): Promise<BackgroundProcess> {
  const startedAt = Date.now();
  const begun = performance.now();
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const resolve of waiting) resolve();
  };
  const onOutput = (chunk: Buffer) => {
    log.add(chunk);
    wake();
  };
  let launch: Launch | null = null;
  const spawn = async () => {
    launch = (await launcher?.()) ?? null;
    try {
      const spawned = await spawnShell({ command, cwd, environment, launch, onOutput });
      // A program that has nothing else to do ends, and with it all that it started.
      spawned.keepsProcess(false);
      return spawned;
    } catch (error) {
      await launch?.release();
      throw error;
    }
  };
  let shell = await spawn();
  const exited = async () => {
    for (let setup = 1; ; setup++) {
      const exit = await shell.exited;
      if (exit.hasBegun || setup === mostSetups || why !== 'itself') return exit;
      // Something that was to be mounted has gone in the same moment; nothing was run yet.
      shell.leave();
      await launch?.release();
      shell = await spawn();
    }
  };
  let why: BackgroundEnd['why'] = 'itself';
  const end = (reason: BackgroundEnd['why']) => {
    if (process.end !== null) return;
    if (why === 'itself') why = reason;
    shell.end(killGraceMs).catch(() => undefined);
  };
  const timer = setTimeout(() => end('overtime'), Math.min(timeoutMs ?? maxBackgroundMs, maxBackgroundMs)).unref();

  const ended = exited().then(async ({ exitCode, endedBy }) => {
    clearTimeout(timer);
    await drained(shell.output);
    shell.leave();
    const end: BackgroundEnd = {
      exitCode,
      endedBy,
      why,
      durationMs: Math.round(performance.now() - begun),
      setRight: null,
    };
    process.end = end;
    try {
      // What a free one left in the background ends with it: nobody would know of it.
      if (launch === null) await shell.end(0);
      end.setRight = (await launch?.release()) ?? null;
    } finally {
      wake();
      if (why !== 'stopped') onEnd(process);
    }
  });
  ended.catch(() => undefined);

  const process: BackgroundProcess = {
    id,
    command,
    get group() {
      return shell.id;
    },
    startedAt,
    log,
    get launch() {
      return launch;
    },
    end: null,
    async stop() {
      // Unless somebody waits for its end.
      shell.keepsProcess(true);
      end('stopped');
      await ended;
    },
    changed(signal) {
      if (process.end !== null || signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const done = () => {
          waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        waiting.add(done);
        signal.addEventListener('abort', done, { once: true });
      });
    },
  };
  return process;
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
