import type { ToolOutcome, ToolScope } from '@pawl/engine';
import { takeCleanupNotice } from './find.ts';
import { type Git, openGit } from './git.ts';

export type RepositoryOptions = {
  /** The environment of this process; git gets only its folders of programs and the user's home. */
  environment: Readonly<Record<string, string | undefined>>;
};

/** Runs with git in the repository of the session's folder. @throws `no_repository`, `odd_repository`, `git_failed`. */
export async function withGit<Value>(
  { cwd, signal }: ToolScope,
  { environment }: RepositoryOptions,
  work: (git: Git) => Promise<Value>,
): Promise<Value> {
  return work(await openGit(cwd, environment, signal));
}

/** The same for the outcome of a call, which says too what had to be cleaned up in the repository before. */
export const answerWithGit = (
  scope: ToolScope,
  options: RepositoryOptions,
  work: (git: Git) => Promise<ToolOutcome>,
): Promise<ToolOutcome> =>
  withGit(scope, options, async (git) => {
    const outcome = await work(git);
    const sentence = takeCleanupNotice(git);
    return sentence === null ? outcome : { ...outcome, content: `${outcome.content}\n(${sentence})` };
  });
