/** One bash of its own process group that does not outlive this process, however that ends. */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { messageOf, PawlError } from '@pawl/protocol';
import { type Launch, limitWords, takeEntrance } from '../sandbox/index.ts';
import { passesDescriptorsOn } from './descriptors.ts';
import { endGroup, endWithProcess, killGroup } from './process-group.ts';
import { openOutputLine } from './process-output.ts';

export type ShellStart = {
  command: string;
  cwd: string;
  environment: Readonly<Record<string, string>>;
  /** How it is contained; null leaves it free. */
  launch: Launch | null;
  /** Gets both outputs, in their order. The bytes are its own only until it returns. */
  onOutput(chunk: Buffer): void;
};

export type ShellExit = {
  exitCode: number | null;
  endedBy: NodeJS.Signals | null;
  /** False where the sandbox could not be made, and so nothing was run. */
  hasBegun: boolean;
};

export type ShellProcess = {
  /** Leads its process group. */
  id: number;
  /** Closes when nobody can write any more. */
  output: Socket;
  exited: Promise<ShellExit>;
  /** Ends the whole group: asks it to, and after `graceMs` makes it. */
  end(graceMs: number): Promise<void>;
  /** To be called when the shell has ended. What is left running in the background of a free one goes on. */
  leave(): void;
  /** Lets this process end although the shell still runs, which is then killed; `true` takes that back. */
  keepsProcess(isKept: boolean): void;
};

/** `-p`: a user's settings of bash (BASH_ENV, functions) are for the command, and read once. */
const privilegedBash = ['/bin/bash', '-p', '-c'];

/**
 * Runs the words behind it, with somebody in a group of its own who waits for a word on descriptor 3. If that closes
 * without one, this process is gone (also by `kill -9`), and so is then the group.
 */
const watchdogScript = `set -m
{ trap '' HUP INT TERM; read -r _ <&3 || kill -KILL -$$; } </dev/null >/dev/null 2>&1 &
set +m
exec 3<&-
exec "$@"`;

/**
 * Runs the command behind it without any descriptor but the usual three. Node passes on what this process itself got
 * from whoever started it (from 16 on, behind a gap), and one of a folder leads out of every sandbox. Closed inside of
 * it; bubblewrap closes its own.
 */
const closeDescriptorsScript = `for each in /dev/fd/[3-9] /dev/fd/[1-9][0-9]*; do [[ -e $each ]] && eval "exec \${each##*/}>&-"; done
exec /bin/bash -c "$1"`;

/** Another bash in front costs as much as many a command, so there is one only where it has something to close. */
function shellOf(command: string, launch: Launch | null): string[] {
  const limits = launch === null ? '' : limitWords(launch.limits);
  // On the line of the command, so that lines are counted as its author does.
  const limited = limits === '' ? command : `${limits}; ${command}`;
  const mustBeApart = Buffer.byteLength(limited) >= maxCommandBytes;
  if (mustBeApart || launch?.hasEntrance === true || passesDescriptorsOn()) {
    return [...privilegedBash, `${limits}\n${closeDescriptorsScript}`, '/bin/bash', command];
  }
  return ['/bin/bash', '-c', limited];
}

/** The most bytes that Linux takes as one argument, with the zero at its end. Source: MAX_ARG_STRLEN in execve(2). */
const maxCommandBytes = 131_072;

let childProcess: Promise<typeof import('node:child_process')> | null = null;

/** @throws `no_shell` when bash cannot be started, `bad_command`; the promise `exited` rejects with it too. */
export async function spawnShell({ command, cwd, environment, launch, onOutput }: ShellStart): Promise<ShellProcess> {
  const problem = problemOf(command);
  if (problem !== null) throw new PawlError('bad_command', `The command ${problem}`);
  childProcess ??= import('node:child_process');
  const { spawn } = await childProcess;
  const { writer, reader: output } = await openOutputLine(onOutput);
  const words = [...(launch?.words ?? []), ...shellOf(command, launch)];
  const reportsStatus = launch?.hasInfo === true;
  const [program = '', ...rest] = reportsStatus ? words : [...privilegedBash, watchdogScript, 'bash', ...words];
  const start = () => {
    const filter = launch?.filter == null ? null : openSync(launch.filter, 'r');
    try {
      const further = [
        ...(launch?.hasEntrance === true ? (['ipc'] as const) : []),
        ...(filter === null ? [] : [filter]),
      ];
      return spawn(program, rest, {
        cwd,
        env: { ...environment, ...launch?.environment },
        stdio: ['ignore', writer, writer, 'pipe', ...further],
        detached: true,
      });
    } finally {
      if (filter !== null) closeSync(filter);
    }
  };
  let child: ReturnType<typeof start>;
  try {
    child = start();
  } catch (cause) {
    writer.destroy();
    output.destroy();
    throw cannotStart(cause, cwd);
  }
  if (launch?.hasEntrance === true && launch.gateway !== null) takeEntrance(child, launch.gateway);
  const status = reportsStatus ? statusOf(child) : null;
  const exited = new Promise<ShellExit>((resolve, reject) => {
    child.on('error', (error) => reject(cannotStart(error, cwd)));
    child.on('exit', async (exitCode, endedBy) => {
      const hasBegun = status === null || exitCode !== setupFailed || (await status.hasBegun);
      resolve({ exitCode, endedBy, hasBegun });
    });
  });
  writer.destroy();
  const { pid: group } = child;
  if (group === undefined) {
    output.destroy();
    await exited;
    throw cannotStart(new Error('it has no process id'), cwd);
  }
  let hasExited = false;
  child.on('exit', () => {
    hasExited = true;
  });
  const leave = endWithProcess(group);
  const word = openWatchdogLine(child);
  const inner = status?.inner ?? null;
  launch?.breach.addEventListener('abort', () => hasExited || killGroup(group), { once: true });
  return {
    id: group,
    output,
    exited,
    async end(graceMs) {
      const leader =
        inner === null
          ? group
          : await Promise.race([
              inner,
              exited.then(
                () => null,
                () => null,
              ),
            ]);
      // Asked from outside, the sandbox would go first and take all with it; so those inside are asked.
      // It ends with the first of them, and takes the others along.
      if (leader !== null) await endGroup(leader, graceMs, () => inner !== null && hasExited);
      killGroup(group);
    },
    leave() {
      leave();
      word.end();
    },
    keepsProcess(isKept) {
      const word = isKept ? 'ref' : 'unref';
      child[word]();
      for (const line of [output, child.stdio[3]]) if (isSocket(line)) line[word]();
    },
  };
}

/** All lines to a child are, whatever their type says. */
const isSocket = (line: unknown): line is Socket => typeof line === 'object' && line !== null && 'unref' in line;

/** The line to who watches: `end` says that all went well. */
function openWatchdogLine(child: ChildProcess): { end(): void } {
  const line = child.stdio[3];
  if (!line || !('write' in line)) return { end: () => undefined };
  // Whoever listened may be gone already.
  line.on('error', () => undefined);
  if (isSocket(line)) line.unref();
  return { end: () => void line.end('\n') };
}

/** Bubblewrap's own exit code where it cannot make the sandbox; a command can have the same. */
const setupFailed = 1;

type Status = {
  /** The process that leads inside the sandbox, by the number it has outside; null if it never came to be. */
  inner: Promise<number | null>;
  /** Whether the command was run, known when the sandbox has ended. */
  hasBegun: Promise<boolean>;
};

/** What bubblewrap tells. It gives an exit code only of a command that it has started. */
function statusOf(child: ChildProcess): Status {
  const line = child.stdio[3];
  if (!line || !('setEncoding' in line)) return { inner: Promise.resolve(null), hasBegun: Promise.resolve(true) };
  line.setEncoding('utf8');
  let text = '';
  const ended = once(line, 'end').catch(() => undefined);
  const inner = new Promise<number | null>((resolve) => {
    line.on('data', (piece: string) => {
      text += piece;
      const [, id] = /"child-pid": *([0-9]+)[^0-9]/.exec(text) ?? [];
      if (id !== undefined) resolve(Number(id));
    });
    ended.then(() => resolve(null));
  });
  return { inner, hasBegun: ended.then(() => text.includes('"exit-code"')) };
}

function problemOf(command: string): string | null {
  if (command.includes('\0')) return 'holds a NUL, which no program can be given.';
  const bytes = Buffer.byteLength(command);
  if (bytes < maxCommandBytes) return null;
  return `has ${bytes} bytes, and the system takes ${maxCommandBytes - 1}. Put it into a file, and run that.`;
}

function cannotStart(error: unknown, cwd: string): PawlError {
  return new PawlError(
    'no_shell',
    `The command could not be started in ${cwd}: ${messageOf(error)}. /bin/bash and the folder must exist.`,
    { cause: error },
  );
}
