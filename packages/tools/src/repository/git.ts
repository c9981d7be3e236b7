import { messageOf, PawlError } from '@pawl/protocol';
import { stripTerminal } from '../escape.ts';
import { systemCode } from '../failures.ts';
import { disabledDrivers, gitEnvironment, overriddenSettings, problemOf } from './environment.ts';
import { findRepository, type Repository, unusableRepository } from './find.ts';

/** Longest output of one call, bytes. What is longer could not be shown anyway. */
const maxOutputBytes = 8_000_000;
const timeoutMs = 60_000;

export type GitOptions = {
  /** For standard input; default none. */
  input?: string;
  /** On top of the environment. */
  environment?: Readonly<Record<string, string>>;
  /** Exit codes that are answers and no failures; default only 0. */
  codes?: readonly number[];
  /** Whether the beginning of a long answer is an answer; default false. */
  canBeCut?: boolean;
  /** Whether it goes on when the call is cancelled, because half of it would be worse; default false. */
  isFinal?: boolean;
};

type GitAnswer = { code: number; output: string; isCut: boolean };

/** Git in one working tree, with all of its settings that run something turned off. */
export type Git = Repository & {
  /** @throws `git_failed` with what git says, `too_much`; the signal's reason when that aborts. */
  run(words: readonly string[], options?: GitOptions): Promise<GitAnswer>;
};

/** @throws `no_repository`, `odd_repository`, `git_failed`. */
export async function openGit(
  folder: string,
  own: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Git> {
  const repository = await findRepository(folder);
  const { gitFolder, commonFolder } = repository;
  const bare = gitEnvironment(own, repository, []);
  const ask = (...words: string[]) => runGit(repository, words, bare, { canBeCut: true }, signal);
  // Both only read files, and run nothing.
  const [places, listed] = await Promise.all([
    ask('rev-parse', '--path-format=absolute', '--absolute-git-dir', '--git-common-dir'),
    ask('config', '--list', '--show-scope', '--name-only', '-z'),
  ]);
  // What says where a repository is was read here by other rules than git's, which alone count.
  if (places.output !== `${gitFolder}\n${commonFolder}\n`)
    throw unusableRepository(gitFolder, 'is not where git finds the repository');
  if (listed.isCut) throw unusableRepository(gitFolder, 'has more settings than can be looked through');
  const settings = settingsIn(listed.output);
  const driverSettings = disabledDrivers([...new Set(settings.map(({ key }) => key))]);
  const problem = problemOf(driverSettings);
  if (problem !== null) throw unusableRepository(gitFolder, problem);
  const environment = gitEnvironment(own, repository, [...driverSettings, ...overriddenSettings(settings)]);
  return {
    ...repository,
    run: (words, options = {}) => {
      const until = options.isFinal === true ? new AbortController().signal : signal;
      return runGit(repository, words, { ...environment, ...options.environment }, options, until);
    },
  };
}

function settingsIn(listed: string): { scope: string; key: string }[] {
  const fields = listed.split('\0');
  return fields.flatMap((key, index) => (index % 2 === 1 ? [{ scope: fields[index - 1] ?? '', key }] : []));
}

async function runGit(
  { top }: Repository,
  words: readonly string[],
  environment: Record<string, string>,
  { input, codes = [0], canBeCut = false }: GitOptions,
  signal: AbortSignal,
): Promise<GitAnswer> {
  const { spawn } = await import('node:child_process');
  signal.throwIfAborted();
  const child = spawn('git', ['--no-pager', ...words], { cwd: top, env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  const stop = () => child.kill('SIGKILL');
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isCut = false;
  let isTimedOut = false;
  let errors = '';
  const timer = setTimeout(() => {
    isTimedOut = true;
    stop();
  }, timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
      // Git may end without having read it all.
      child.stdin.on('error', () => undefined);
      child.stdin.end(input ?? '');
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (errors.length < 4000) errors += text;
      });
      child.stdout.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= maxOutputBytes) chunks.push(chunk);
        else if (!isCut) {
          isCut = true;
          stop();
        }
      });
    });
    signal.throwIfAborted();
    const output = new TextDecoder().decode(Buffer.concat(chunks));
    if (isTimedOut) throw new PawlError('git_failed', `git ${words[0]} did not finish within ${timeoutMs} ms.`);
    if (isCut && !canBeCut)
      throw new PawlError(
        'too_much',
        `git ${words[0]} says more than ${maxOutputBytes / 1e6} MB here. Name fewer paths.`,
      );
    if (!isCut && (code === null || !codes.includes(code)))
      throw new PawlError(
        'git_failed',
        `git ${words[0]} failed: ${stripTerminal(errors).trim() || `exit code ${code}`}`,
      );
    return { code: code ?? 0, output, isCut };
  } catch (error) {
    if (error instanceof PawlError || signal.aborted) throw error;
    const hint = systemCode(error) === 'ENOENT' ? 'git is not installed.' : messageOf(error);
    throw new PawlError('git_failed', `git could not be started: ${hint}`, { cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}
