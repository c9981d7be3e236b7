import type { Tool, ToolScope } from '@pawl/engine';
import { escapeName } from '../escape.ts';
import { resolvePlace } from '../paths.ts';
import { defineTool, objectSchema } from '../tool.ts';
import type { Git } from './git.ts';
import { answerWithGit, type RepositoryOptions } from './options.ts';
import { scopeOf, shownPath } from './scope.ts';

/** What became of one path. `codes` are git's two letters: in the index, and in the working tree. */
type Change = { codes: string; path: string; from: string | null };

export type Status = { branch: string; changes: Change[] };

export function statusTool(options: RepositoryOptions): Tool {
  return defineTool({
    name: 'git_status',
    description: 'Shows the branch and the changed files of the working folder.',
    input: objectSchema({}, []),
    isOutside: true,
    effect: 'read',
    subjectKind: 'path',
    paths: async (_, { cwd }) => [(await resolvePlace('.', cwd)).path],
    approval: () => false,
    run: (_, context) => answerWithGit(context, options, (git) => show(git, context)),
  });
}

async function show(git: Git, { cwd }: ToolScope) {
  const { path: folder } = await resolvePlace('.', cwd);
  const { branch, changes } = await statusOf(git, await scopeOf(git, undefined, cwd), 'normal');
  const name = (path: string) => shownPath(git, path, folder) + (path.endsWith('/') ? '/' : '');
  const lines = changes.map(
    ({ codes, path, from }) => `${codes} ${from === null ? '' : `${name(from)} -> `}${name(path)}`,
  );
  return {
    content: [`On ${escapeName(branch)}.`, ...(lines.length === 0 ? ['Nothing has changed.'] : lines)].join('\n'),
    details: { branch, count: changes.length },
  };
}

/** `untracked` as git means it: `normal` names folders that are new as a whole, `all` every file in them. */
export async function statusOf(git: Git, scope: readonly string[], untracked: 'normal' | 'all'): Promise<Status> {
  const { output } = await git.run([
    'status',
    '--porcelain=v1',
    '-z',
    '--branch',
    `--untracked-files=${untracked}`,
    // What changed within a submodule would be found out by running git there, under settings of its own.
    '--ignore-submodules=dirty',
    '--',
    ...scope,
  ]);
  const all = output.split('\0');
  // Git says nothing of a branch where HEAD leads in a circle.
  const head = all[0]?.startsWith('## ') ? (all[0] ?? '') : '## no branch';
  const entries = all.slice(all[0] === head ? 1 : 0);
  const changes: Change[] = [];
  for (let index = 0; index < entries.length; index++) {
    const entry = entries[index] ?? '';
    if (entry === '') continue;
    const codes = entry.slice(0, 2);
    const from = /[RC]/.test(codes) ? (entries[++index] ?? null) : null;
    changes.push({ codes, path: entry.slice(3), from });
  }
  return { branch: head.replace(/^## (?:No commits yet on )?/, ''), changes };
}
