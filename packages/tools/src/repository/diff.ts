import type { Tool } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import { stripTerminal } from '../escape.ts';
import { defineTool, objectSchema } from '../tool.ts';
import type { Git } from './git.ts';
import { answerWithGit, type RepositoryOptions, withGit } from './options.ts';
import { headOf, revisionsOf } from './revisions.ts';
import { fullPaths, scopeOf } from './scope.ts';

type DiffInput = { revisions?: string; staged?: boolean; paths?: string[] };

/** Each path is held against the rules, and stands in the log. */
const maxFiles = 500;

/** Nothing that a repository's settings or attributes name is run, and nothing decorates. */
const plain = [
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--submodule=short',
  '--ignore-submodules=dirty',
  '--src-prefix=a/',
  '--dst-prefix=b/',
];

export function diffTool(options: RepositoryOptions): Tool {
  return defineTool<DiffInput>({
    name: 'git_diff',
    description: 'Shows what changed since the last commit, or between commits. Only within the working folder.',
    input: objectSchema(
      {
        revisions: { type: 'string', description: 'Like main, HEAD~2, a..b or main...HEAD; default HEAD' },
        staged: { type: 'boolean', description: 'Only what is staged' },
        paths: { type: 'array', items: { type: 'string' } },
      },
      [],
    ),
    isOutside: true,
    effect: 'read',
    subjectKind: 'path',
    // Who may not read a file may not read its changes either.
    paths: (input, scope) =>
      withGit(scope, options, async (git) => fullPaths(git, await filesOf(git, input, scope.cwd))),
    approval: () => false,
    run: (input, context) =>
      answerWithGit(context, options, async (git) => {
        const files = fullPaths(git, await filesOf(git, input, context.cwd));
        if (files.some((file) => !context.paths.includes(file)))
          throw new PawlError('outdated', 'Other files changed in the meantime.');
        const shown = ['diff', ...plain, '--find-renames', ...(await words(git, input, context.cwd))];
        const { output, isCut } = await git.run(shown, { canBeCut: true });
        const text = stripTerminal(output);
        const rest = isCut ? '\n(cut: the diff is too long; name paths)' : '';
        return { content: text === '' ? 'Nothing differs.' : text + rest, details: { count: files.length } };
      }),
  });
}

async function filesOf(git: Git, input: DiffInput, cwd: string): Promise<string[]> {
  const { output } = await git.run([
    'diff',
    ...plain,
    '--no-renames',
    '--name-only',
    '-z',
    ...(await words(git, input, cwd)),
  ]);
  const files = output.split('\0').filter((path) => path !== '');
  if (files.length <= maxFiles) return files;
  throw new PawlError('too_many', `${files.length} files differ, more than ${maxFiles}. Name paths.`);
}

async function words(git: Git, { revisions, staged = false, paths }: DiffInput, cwd: string): Promise<string[]> {
  const hashes = revisions === undefined ? null : await revisionsOf(git, revisions);
  if (staged && hashes?.isRange)
    throw new PawlError('bad_revision', 'What is staged differs from one commit, not between two.');
  // Before the first commit, everything that is staged is new.
  const head = hashes === null ? await headOf(git) : null;
  const base = hashes?.words ?? (head === null ? [] : [head]);
  const isCached = staged || (hashes === null && head === null);
  return [...(isCached ? ['--cached'] : []), ...base, '--', ...(await scopeOf(git, paths, cwd))];
}
