/** Finds the parts of a sandbox on this machine, and runs a trial in it. */
import { access, constants, open, writeFile } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { seccompFilter } from './seccomp.ts';
import { temporaryFolder } from './temporaries.ts';

/** The filter of system calls as a file, which lasts as long as this process; null where there is none for this machine. */
export async function filterFile(whose: 'commands' | 'readers' = 'commands'): Promise<string | null> {
  const filter = seccompFilter(process.arch, whose);
  if (filter === null) return null;
  const path = join(await temporaryFolder('processes'), 'filter');
  await writeFile(path, filter, { mode: 0o400 });
  return path;
}

/** Only from absolute folders: a project's own `bwrap` contains nothing. */
export async function findProgram(name: string, path: string): Promise<string | null> {
  for (const folder of path.split(delimiter).filter((each) => isAbsolute(each))) {
    const program = join(folder, name);
    const isThere = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return program;
  }
  return null;
}

const trialLimitMs = 5000;

export async function runTrial(
  [program = '', ...words]: readonly string[],
  filter: string | null,
): Promise<{ failure: string; lines: string[] }> {
  const { spawn } = await import('node:child_process');
  const opened = filter === null ? null : await open(filter, 'r');
  const ran = new Promise<{ failure: string; lines: string[] }>((resolve) => {
    const child = spawn(program, words, {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', ...(opened === null ? [] : [opened.fd])],
      timeout: trialLimitMs,
      killSignal: 'SIGKILL',
    });
    const said = { out: '', err: '' };
    child.stdout?.on('data', (piece: Buffer) => {
      said.out += piece.toString();
    });
    child.stderr?.on('data', (piece: Buffer) => {
      said.err += piece.toString();
    });
    child.on('error', (error) => resolve({ failure: error.message, lines: [] }));
    child.on('close', (code, signal) => {
      const failure = said.err.trim().split('\n')[0] || `it ended with ${signal ?? `exit code ${code}`}`;
      resolve({ failure: failure.replace(/\.$/, ''), lines: said.out.split('\n').filter((line) => line !== '') });
    });
  });
  return ran.finally(() => opened?.close());
}
