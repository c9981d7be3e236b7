import type { ToolScope } from '@pawl/engine';
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
