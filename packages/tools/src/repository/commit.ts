import { lstat } from 'node:fs/promises';
import type { Tool, ToolScope } from '@pawl/engine';
import type { JsonObject } from '@pawl/protocol';
import { messageOf, PawlError } from '@pawl/protocol';
import { escapeInvisible, escapeName } from '../escape.ts';
import { defineTool, objectSchema } from '../tool.ts';
import type { Git } from './git.ts';
import { answerWithGit, type RepositoryOptions, withGit } from './options.ts';
import { headOf } from './revisions.ts';
import { fullPaths, scopeOf } from './scope.ts';
import { pathOf, type Snapshot, snapshotOf, stagePaths } from './snapshot.ts';
import { statusOf } from './status.ts';

type CommitInput = { message: string; paths?: string[] };

const longestList = 200;
/** Files in `.git` that say that something else is under way, which a plain commit would end in the wrong way. */
const underWay = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD'];

/**
 * Commits exactly what was shown: the tree is worked out before, without touching the repository, and compared when
 * the commit is made. No hook runs, and nothing is signed.
 */
export function commitTool(options: RepositoryOptions): Tool {
  return defineTool<CommitInput>({
    name: 'git_commit',
    description: 'Commits the named paths (new and deleted files too), or what is staged. Hooks are not run.',
    input: objectSchema(
      {
        message: { type: 'string', minLength: 1, maxLength: 10_000 },
        paths: { type: 'array', items: { type: 'string' }, minItems: 1 },
      },
      ['message'],
    ),
    isOutside: true,
    // Not `write`, which is what an edit is, and which a mode may allow.
    effect: 'external',
    subjectKind: 'path',
    paths: (input, scope) =>
      withGit(scope, options, async (git) => fullPaths(git, await filesOf(git, input, scope.cwd))),
    approval: () => true,
    plan: (input, scope) => withGit(scope, options, (git) => plan(git, input, scope)),
    run: (input, context) => answerWithGit(context, options, (git) => commit(git, input, context, context.basis)),
    reconcile: (input, evidence, scope) =>
      withGit(scope, options, (git) => reconcile(git, input, evidence as JsonObject, scope.cwd)),
  });
}

/** What would be committed, as far as paths go. */
async function filesOf(git: Git, { paths }: CommitInput, cwd: string): Promise<string[]> {
  if (paths === undefined) {
    const { output } = await git.run(['diff', '--cached', '--no-ext-diff', '--no-renames', '--name-only', '-z']);
    return output.split('\0').filter((path) => path !== '');
  }
  const { changes } = await statusOf(git, await scopeOf(git, paths, cwd), 'all');
  return changes.flatMap(({ path, from }) => (from === null ? [path] : [path, from]));
}

const basisOf = ({ head, tree }: Snapshot) => `${head ?? ''}:${tree}`;

async function plan(git: Git, input: CommitInput, { cwd }: ToolScope) {
  await checkIdle(git);
  const message = messageIn(input);
  const scope = input.paths === undefined ? null : await scopeOf(git, input.paths, cwd);
  const snapshot = await snapshotOf(git, scope, 'apart');
  const { changes, head, tree, added, removed } = snapshot;
  const listed = changes.slice(0, longestList).map(({ code, path }) => `${code} ${escapeName(path)}`);
  if (changes.length > longestList) listed.push(`… and ${changes.length - longestList} more`);
  const text = [
    `Commit on ${escapeName(await branchOf(git))}:`,
    '',
    escapeInvisible(message).trimEnd(),
    '',
    ...listed,
  ].join('\n');
  return {
    preview: { kind: 'text' as const, text, added, removed },
    basis: basisOf(snapshot),
    evidence: { head, tree },
  };
}

async function commit(git: Git, input: CommitInput, { cwd }: ToolScope, basis: string | null) {
  await checkIdle(git);
  const scope = input.paths === undefined ? null : await scopeOf(git, input.paths, cwd);
  const snapshot = await snapshotOf(git, scope, 'kept');
  if (basisOf(snapshot) !== basis)
    throw new PawlError('outdated', 'What would be committed has changed in the meantime.');
  const { head, tree, changes, added, removed } = snapshot;
  const message = messageIn(input);
  if (scope !== null) await checkUnlocked(git);
  const parent = head === null ? [] : ['-p', head];
  const made = await git.run(['commit-tree', '--no-gpg-sign', ...parent, '-F', '-', tree], { input: message });
  const hash = made.output.trim();
  const subject = message.split('\n')[0] ?? '';
  const branch = await branchOf(git);
  // Fails if somebody else committed in between; then nothing has happened. From here on nobody cancels it.
  await git.run(['update-ref', '-m', `commit: ${subject}`, 'HEAD', hash, head ?? ''], { isFinal: true });
  const notStaged = scope === null ? '' : await takeIntoIndex(git, scope);
  const summary = `${changes.length} files, +${added} -${removed}`;
  return {
    content: `Committed ${hash.slice(0, 10)} on ${escapeName(branch)}: ${escapeName(subject)} (${summary})${notStaged}`,
    details: { commit: hash, parent: head, count: changes.length, added, removed },
  };
}

/** Else what was committed would show as staged the other way round. Says what went wrong: the commit is made. */
async function takeIntoIndex(git: Git, scope: readonly string[]): Promise<string> {
  try {
    await stagePaths(git, scope, {}, { isFinal: true });
    return '';
  } catch (error) {
    return `\nThe index could not be brought up to it, so these paths show as staged: ${messageOf(error)}`;
  }
}

async function reconcile(git: Git, { paths }: CommitInput, { head, tree }: JsonObject, cwd: string) {
  const now = await headOf(git);
  if (now === head) return 'not_done' as const;
  if (now === null) return null;
  const { output } = await git.run(['show', '--no-patch', '--no-show-signature', '--no-notes', '--format=%T %P', now]);
  if (output.trim() !== `${tree} ${head ?? ''}`.trim()) return null;
  const notStaged = paths === undefined ? '' : await takeIntoIndex(git, await scopeOf(git, paths, cwd));
  return { content: `Committed ${now.slice(0, 10)} before the interruption.${notStaged}`, details: { commit: now } };
}

async function branchOf(git: Git): Promise<string> {
  const { code, output } = await git.run(['symbolic-ref', '--short', '--quiet', 'HEAD'], { codes: [0, 1] });
  return code === 0 ? output.trim() : 'no branch';
}

/** As git would clean it, with a line break at its end. */
function messageIn({ message }: CommitInput): string {
  const text = message.replace(/\r\n?/g, '\n').trim();
  if (text === '' || text.includes('\0'))
    throw new PawlError('bad_message', 'The commit message is empty or holds a NUL.');
  return `${text}\n`;
}

async function checkIdle(git: Git): Promise<void> {
  for (const name of underWay) {
    const { code } = await git.run(['rev-parse', '--verify', '--quiet', name], { codes: [0, 1, 128] });
    if (code === 0)
      throw new PawlError('under_way', `A merge, cherry-pick or revert is under way (${name}). Finish it with bash.`);
  }
  const { output } = await git.run(['ls-files', '--unmerged', '-z']);
  const [first = ''] = output.split('\0');
  if (first !== '')
    throw new PawlError(
      'under_way',
      `${escapeName(first.replace(/^[^\t]*\t/, ''))} is in conflict. Finish it with bash.`,
    );
}

/** Before the commit is made: afterwards the index would have to be left behind it. */
async function checkUnlocked(git: Git): Promise<void> {
  const lock = `${await pathOf(git, 'index')}.lock`;
  const isLocked = await lstat(lock).then(
    () => true,
    () => false,
  );
  if (isLocked)
    throw new PawlError(
      'locked',
      `Another git is at work here, or was ended: ${escapeName(lock)} exists. Try again later.`,
    );
}
