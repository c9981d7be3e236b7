import type { Tool, ToolScope } from '@pawl/engine';
import { escapeName } from '../escape.ts';
import { defineTool, objectSchema } from '../tool.ts';
import type { Git } from './git.ts';
import { answerWithGit, type RepositoryOptions, withGit } from './options.ts';
import { headOf, revisionsOf } from './revisions.ts';
import { fullPaths, scopeOf } from './scope.ts';

type LogInput = { revisions?: string; paths?: string[]; limit?: number };

const usualCommits = 20;
const maxCommits = 200;

export function logTool(options: RepositoryOptions): Tool {
  return defineTool<LogInput>({
    name: 'git_log',
    description: 'Lists commits, newest first: hash, date, author, subject.',
    input: objectSchema(
      {
        revisions: { type: 'string', description: 'Like main, v1..HEAD; default HEAD' },
        paths: { type: 'array', items: { type: 'string' }, description: 'Only commits that touch these' },
        limit: { type: 'integer', minimum: 1, maximum: maxCommits, description: `Default ${usualCommits}` },
      },
      [],
    ),
    isOutside: true,
    effect: 'read',
    subjectKind: 'path',
    paths: (input, scope) =>
      withGit(scope, options, async (git) => fullPaths(git, await scopeOf(git, input.paths, scope.cwd))),
    approval: () => false,
    run: (input, context) => answerWithGit(context, options, (git) => show(git, input, context)),
  });
}

async function show(git: Git, { revisions, paths, limit = usualCommits }: LogInput, { cwd }: ToolScope) {
  if (revisions === undefined && (await headOf(git)) === null) return { content: 'There are no commits yet.' };
  const { words } = await revisionsOf(git, revisions ?? 'HEAD');
  // The whole history is the repository's; only where paths are named are they the session's.
  const scope = paths === undefined ? [] : await scopeOf(git, paths, cwd);
  const { output } = await git.run([
    'log',
    '-z',
    `--max-count=${limit}`,
    '--format=%h%x09%as%x09%an%x09%D%x09%s',
    '--no-show-signature',
    '--no-color',
    '--no-patch',
    '--no-notes',
    ...words,
    '--',
    ...scope,
  ]);
  const lines = output
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [hash = '', date = '', author = '', references = '', ...subject] = entry.split('\t');
      const marks = references === '' ? '' : ` (${references})`;
      return escapeName(`${hash} ${date} ${author}${marks}: ${subject.join(' ')}`);
    });
  return { content: lines.length === 0 ? 'No commits.' : lines.join('\n'), details: { count: lines.length } };
}
