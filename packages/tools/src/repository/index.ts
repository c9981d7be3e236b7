/** The repository as tools: git with everything turned off by which its settings could run a program. */
import type { Tool } from '@pawl/engine';
import { commitTool } from './commit.ts';
import { diffTool } from './diff.ts';
import { logTool } from './log.ts';
import type { RepositoryOptions } from './options.ts';
import { statusTool } from './status.ts';

/** `git_commit`, `git_diff`, `git_log`, `git_status`. They say themselves where there is no repository. */
export function repositoryTools(options: RepositoryOptions): Tool[] {
  return [commitTool(options), diffTool(options), logTool(options), statusTool(options)];
}
