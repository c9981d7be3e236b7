import { messageOf, PawlError } from '@pawl/protocol';

/** How a search ended. Code 0 found something, 1 nothing; 2 is an error, though there may be results as well. */
export type SearchEnd = { exitCode: number | null; errors: string; isStopped: boolean };

/** What every search has: no settings of the user's, hidden files but git's own, ignore files also outside repositories. */
const common = ['--no-config', '--color=never', '--hidden', '--no-require-git', '--glob=!.git'];
const longestErrors = 4000;

/**
 * Runs ripgrep in a folder, without a shell, and hands over its output as it comes. `onOutput` ends the search by
 * returning false. Options must precede; the places to search come behind a `--` and so are never options themselves.
 * @throws `search_failed` when it cannot be run at all; the signal's reason when that aborts.
 */
export async function ripgrep(
  search: {
    cwd: string;
    options: readonly string[];
    target: string;
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
  search.signal.throwIfAborted();
  const child = spawn(rgPath, [...search.options, ...common, '--', search.target], {
    cwd: search.cwd,
    env: search.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  let isStopped = false;
  const stop = () => child.kill('SIGKILL');
  search.signal.addEventListener('abort', stop, { once: true });
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (errors.length < longestErrors) errors += text;
      });
      child.stdout.on('data', (chunk: Buffer) => {
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
