/** The tree that a commit would have, worked out in an index of its own. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PawlError } from '@pawl/protocol';
import { escapeName } from '../escape.ts';
import { systemCode } from '../failures.ts';
import type { Git, GitOptions } from './git.ts';
import { headOf } from './revisions.ts';

export type Snapshot = {
  /** The commit that it would follow; null for the first. */
  head: string | null;
  tree: string;
  changes: { code: string; path: string }[];
  added: number;
  removed: number;
};

/**
 * With a scope, the last commit and these paths as they are on the disk; without, what is staged. `apart` writes all
 * that is new into a folder that is then removed; `kept` into the repository, where the commit needs it.
 * @throws `nothing_to_commit`, `filtered`, `git_failed`.
 */
export async function snapshotOf(
  git: Git,
  scope: readonly string[] | null,
  objects: 'apart' | 'kept',
): Promise<Snapshot> {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-commit-'));
  try {
    const head = await headOf(git);
    const store = await pathOf(git, 'objects');
    const apart = {
      GIT_OBJECT_DIRECTORY: folder,
      // Quoted, as a path may hold what else would divide the list.
      GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(store),
    };
    const environment: Record<string, string> = objects === 'apart' ? apart : {};
    if (scope !== null) {
      environment.GIT_INDEX_FILE = join(folder, 'index');
      await copyIndex(await pathOf(git, 'index'), environment.GIT_INDEX_FILE);
      await git.run(['read-tree', ...(head === null ? ['--empty'] : ['--reset', head])], { environment });
      await stagePaths(git, scope, environment);
    }
    const tree = (await git.run(['write-tree'], { environment })).output.trim();
    const base = head ?? (await git.run(['mktree'], { environment })).output.trim();
    const differ = ['diff-tree', '-r', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', base, tree];
    const names = await git.run([...differ, '--name-status'], { environment });
    const counts = await git.run([...differ, '--numstat'], { environment });
    const changes = changesIn(names.output);
    if (changes.length === 0)
      throw new PawlError(
        'nothing_to_commit',
        scope === null ? 'Nothing is staged. Name the paths to commit.' : 'Nothing has changed there.',
      );
    return { head, tree, changes, ...countsIn(counts.output) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes paths into an index as they are on the disk, deleted ones too. @throws `filtered`, `git_failed`. */
export async function stagePaths(
  git: Git,
  scope: readonly string[],
  environment: Record<string, string>,
  { isFinal = false }: { isFinal?: boolean } = {},
): Promise<void> {
  await refuseFiltered(git, scope, { environment, isFinal });
  await git.run(['add', '--all', '--', ...scope], { environment, isFinal });
}

/** What a filter keeps in another form (git-lfs) would go in as it lies on the disk, since no filter is run. */
async function refuseFiltered(git: Git, scope: readonly string[], options: GitOptions): Promise<void> {
  const listed = ['ls-files', '-z', '--modified', '--others', '--exclude-standard', '--', ...scope];
  const { output } = await git.run(listed, options);
  if (output === '') return;
  const attributes = await git.run(['check-attr', '-z', '--stdin', 'filter'], { ...options, input: output });
  const fields = attributes.output.split('\0');
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [path = '', , filter = ''] = fields.slice(index, index + 3);
    if (filter === 'unspecified' || filter === 'unset' || filter === 'set') continue;
    throw new PawlError(
      'filtered',
      `${escapeName(path)} is stored through the filter ${escapeName(filter)}, which is a program. Commit it with bash.`,
    );
  }
}

/** So that what has not changed since is known by its time, and not read again. */
async function copyIndex(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}

/** Where a part of the repository is, absolute. */
export async function pathOf(git: Git, part: string): Promise<string> {
  const { output } = await git.run(['rev-parse', '--path-format=absolute', '--git-path', part]);
  return output.replace(/\n$/, '');
}

function changesIn(output: string): Snapshot['changes'] {
  const fields = output.split('\0').filter((field) => field !== '');
  const changes: Snapshot['changes'] = [];
  for (let index = 0; index + 1 < fields.length; index += 2)
    changes.push({ code: fields[index] ?? '', path: fields[index + 1] ?? '' });
  return changes;
}

function countsIn(output: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const entry of output.split('\0')) {
    const [plus = '', minus = ''] = entry.split('\t');
    added += Number.parseInt(plus, 10) || 0;
    removed += Number.parseInt(minus, 10) || 0;
  }
  return { added, removed };
}
