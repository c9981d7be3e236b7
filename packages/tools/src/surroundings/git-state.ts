/** Where a repository stands: its branch, what is in progress, and how much has changed. Nothing of it is run. */
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { isPawlError } from '@pawl/protocol';
import { escapeName } from '../escape.ts';
import { findRepository, type Repository } from '../repository/find.ts';
import { openGit } from '../repository/git.ts';
import { statusOf } from '../repository/status.ts';
import { readText } from './files.ts';

const longestName = 100;

type Environment = Readonly<Record<string, string | undefined>>;

type Asked = { cwd: string; environment: Environment; gitWithinMs: number | null };

/** One line, or null outside of a repository. */
export async function gitLine(asked: Asked, signal: AbortSignal): Promise<string | null> {
  let repository: Repository;
  try {
    repository = await findRepository(asked.cwd);
  } catch (error) {
    return isPawlError(error, 'odd_repository')
      ? 'a repository that cannot be trusted to be one; it was not looked at'
      : null;
  }
  const [branch, progress, changes] = await Promise.all([
    branchOf(repository),
    inProgress(repository),
    changesIn(asked, signal),
  ]);
  return [branch, ...progress, ...changes].join(', ');
}

async function branchOf({ gitFolder }: Repository): Promise<string> {
  const head = await readText(join(gitFolder, 'HEAD'), 1000, null).catch(() => null);
  const text = head?.text.trim() ?? '';
  const branch = /^ref: refs\/heads\/(.+)$/.exec(text)?.[1];
  if (branch !== undefined) return `on branch ${short(branch)}`;
  return /^[0-9a-f]{40,64}$/.test(text) ? `on no branch, at ${text.slice(0, 10)}` : 'on no branch';
}

const states: readonly (readonly [entry: string, words: string])[] = [
  ['MERGE_HEAD', 'in the middle of a merge'],
  ['rebase-merge', 'in the middle of a rebase'],
  ['rebase-apply', 'in the middle of a rebase'],
  ['CHERRY_PICK_HEAD', 'in the middle of a cherry-pick'],
  ['REVERT_HEAD', 'in the middle of a revert'],
  ['BISECT_LOG', 'in the middle of a bisection'],
];

async function inProgress({ gitFolder }: Repository): Promise<string[]> {
  const there = await Promise.all(
    states.map(([entry, words]) =>
      lstat(join(gitFolder, entry)).then(
        () => words,
        () => null,
      ),
    ),
  );
  return there.filter((words) => words !== null);
}

async function changesIn({ cwd, environment, gitWithinMs }: Asked, signal: AbortSignal): Promise<string[]> {
  if (gitWithinMs === null) return [];
  const limit = AbortSignal.any([signal, AbortSignal.timeout(gitWithinMs)]);
  try {
    const git = await openGit(cwd, environment, limit);
    const { changes } = await statusOf(git, ['.'], 'normal');
    const untracked = changes.filter(({ codes }) => codes === '??').length;
    const changed = changes.length - untracked;
    if (changes.length === 0) return ['nothing changed since the last commit'];
    return [`${count(changed, 'changed file')} and ${count(untracked, 'new one')} since the last commit`];
  } catch {
    // Too slow, or there is no git: what is known otherwise is said all the same.
    signal.throwIfAborted();
    return ['what has changed was not looked at'];
  }
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;
const short = (name: string) => escapeName(name.length > longestName ? `${name.slice(0, longestName)}…` : name);
