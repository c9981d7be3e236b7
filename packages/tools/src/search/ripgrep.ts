import { access, type FileHandle, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { messageOf, PawlError } from '@pawl/protocol';
import { systemCode } from '../failures.ts';
import { pathOfHandle } from '../files/disk/open-folder.ts';

/** How a search ended. Code 0 found something, 1 nothing; 2 is an error, though there may be results as well. */
export type SearchEnd = { exitCode: number | null; errors: string; isStopped: boolean };

/** A folder, or one file of it, which is open. */
export type SearchScope = { cwd: string; file: { path: string; handle: FileHandle } | null };

/** What every search has: no settings of the user's, hidden files but git's own, ignore files also outside repositories. */
const common = ['--no-config', '--color=never', '--hidden', '--no-require-git', '--glob=!.git'];
const longestErrors = 4000;

/**
 * Runs ripgrep in a folder, without a shell, and hands over its output as it comes. `onOutput` ends the search by
 * returning false. Options must precede; the place to search comes behind a `--` and so is never an option itself.
 * @throws `search_failed` when it cannot be run at all; the signal's reason when that aborts.
 */
export async function ripgrep(
  search: SearchScope & {
    options: readonly string[];
    environment: NodeJS.ProcessEnv;
    signal: AbortSignal;
  },
  onOutput: (chunk: Buffer) => boolean,
): Promise<SearchEnd> {
  const { spawn } = await import('node:child_process');
  const { rgPath } = await import('@vscode/ripgrep').catch((error: unknown) => {
    throw new PawlError('search_failed', `ripgrep is not installed: ${messageOf(error)} Install Pawl again.`, {
      cause: error,
    });
  });
  // An open folder that loses its name at this moment has none: then nothing is known of what is above it.
  const place = search.file === null ? await realpath(search.cwd).catch(() => null) : null;
  const isBare = place !== null && !(await hasRulesAbove(place));
  search.signal.throwIfAborted();
  const { cwd, target, input } = await placeOf(search);
  const options = [...search.options, ...common, ...(isBare ? ['--no-ignore-parent'] : [])];
  const child = spawn(rgPath, [...options, '--', target], {
    cwd,
    env: search.environment,
    stdio: [input, 'pipe', 'pipe'],
  });
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('ripgrep was started without pipes');
  let errors = '';
  let isStopped = false;
  const stop = () => child.kill('SIGKILL');
  search.signal.addEventListener('abort', stop, { once: true });
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      stderr.setEncoding('utf8').on('data', (text: string) => {
        if (errors.length < longestErrors) errors += text;
      });
      stdout.on('data', (chunk: Buffer) => {
        if (isStopped || onOutput(chunk)) return;
        isStopped = true;
        stop();
      });
      child.on('error', (error) =>
        reject(new PawlError('search_failed', `ripgrep could not be started: ${error.message}`, { cause: error })),
      );
      child.on('close', (code) => resolve(code));
    });
    search.signal.throwIfAborted();
    return { exitCode, errors, isStopped };
  } finally {
    search.signal.removeEventListener('abort', stop);
  }
}

const ruleFiles = ['.git', '.gitignore', '.ignore', '.rgignore'];

/**
 * Whether ignore files may lie in the folders above. Where none does, ripgrep is told not to hold every file against
 * those folders: of 100 000 files that costs it a third more time.
 */
async function hasRulesAbove(place: string): Promise<boolean> {
  const above = dirname(place);
  if (above === place) return false;
  const isThere = (name: string) =>
    access(join(above, name)).then(
      () => true,
      // Only what is not there is known to hold no rules.
      (error: unknown) => systemCode(error) !== 'ENOENT',
    );
  return (await Promise.all(ruleFiles.map(isThere))).includes(true) || hasRulesAbove(above);
}

/** A file is handed over as it is open where the system has a name for that, else by its own name. */
async function placeOf({ cwd, file }: SearchScope): Promise<{ cwd: string; target: string; input: number | 'ignore' }> {
  if (file === null) return { cwd, target: '.', input: 'ignore' };
  if ((await pathOfHandle(file.handle)) === null) return { cwd, target: `./${basename(file.path)}`, input: 'ignore' };
  return { cwd: '/proc/self/fd', target: './0', input: file.handle.fd };
}
