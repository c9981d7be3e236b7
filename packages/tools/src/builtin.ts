/** The tools that Pawl brings along, as one list. */
import type { Tool } from '@pawl/engine';
import { deleteTool } from './files/delete.ts';
import { editTool } from './files/edit.ts';
import { multiEditTool } from './files/multi-edit.ts';
import { patchTool } from './files/patch.ts';
import { readTool } from './files/read.ts';
import { writeTool } from './files/write.ts';
import { mailTools } from './mail/index.ts';
import { type ToolOptions, withDefaults } from './options.ts';
import { repositoryTools } from './repository/index.ts';
import { createSandbox } from './sandbox/index.ts';
import { globTool } from './search/glob.ts';
import { grepTool } from './search/grep.ts';
import { listTool } from './search/list.ts';
import { createBackground } from './shell/background/index.ts';
import { bashTool } from './shell/bash.ts';
import { processTool } from './shell/process.ts';
import { taskTools } from './tasks/index.ts';
import { webTools } from './web/index.ts';
import { workTools } from './work/index.ts';

/** All of them, in the order of their names. */
export function builtinTools(options: Partial<ToolOptions> = {}): Tool[] {
  const all = withDefaults(options);
  const background = createBackground(all);
  const sandbox = createSandbox(all.sandbox, all);
  const tools = [
    ...workTools(),
    ...taskTools(),
    ...mailTools(),
    ...repositoryTools(all),
    ...webTools({ environment: all.environment, ...all.web }),
    bashTool({ options: all, sandbox, background }),
    deleteTool(all),
    editTool(all),
    globTool(all),
    grepTool(all),
    listTool(),
    multiEditTool(all),
    patchTool(all),
    processTool(background),
    readTool(all),
    writeTool(all),
  ];
  return tools
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map((tool) => ({ ...tool, isEssential: !rarelyUsed.has(tool.name) }));
}

/**
 * What most sessions do without: a model looks these up by their names (`list_tools`), so that not every request carries
 * their descriptions. All others it is always told of, however many a program adds.
 */
const rarelyUsed: ReadonlySet<string> = new Set([
  ...['git_commit', 'git_diff', 'git_log', 'git_status'],
  ...['history', 'mail_list', 'mail_send', 'multi_edit', 'notes', 'notify', 'stage'],
  ...['task_cancel', 'task_send', 'tasks'],
]);
