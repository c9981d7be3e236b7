/** The tools that Pawl brings along: files, search, shell, and the work itself. */
import type { Tool } from '@pawl/engine';
import { createBackground } from './background/index.ts';
import { bashTool } from './bash.ts';
import { deleteTool } from './delete.ts';
import { editTool } from './edit.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { listTool } from './list.ts';
import { mailTools } from './mail/index.ts';
import { multiEditTool } from './multi-edit.ts';
import { type ToolOptions, withDefaults } from './options.ts';
import { patchTool } from './patch.ts';
import { processTool } from './process.ts';
import { readTool } from './read.ts';
import { repositoryTools } from './repository/index.ts';
import { createSandbox } from './sandbox/index.ts';
import { taskTools } from './tasks/index.ts';
import { webTools } from './web/index.ts';
import { workTools } from './work/index.ts';
import { writeTool } from './write.ts';

export { isSecretName, secretsIn } from './environment.ts';
export { escapeInvisible, stripTerminal } from './escape.ts';
export { mailTools } from './mail/index.ts';
export type { ToolOptions } from './options.ts';
export { createRedactor } from './redact.ts';
export {
  defaultLimits,
  homeListDate,
  hostsText,
  type NetworkAccess,
  noteOwnWrite,
  ownHomes,
  type Probe,
  probeSandbox,
  type SandboxLimits,
  type SandboxMode,
  type SandboxOptions,
  shownOfHome,
} from './sandbox/index.ts';
export { taskTools } from './tasks/index.ts';

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
  // However many others there are, a model is always told of these.
  return tools.sort((one, other) => (one.name < other.name ? -1 : 1)).map((tool) => ({ ...tool, isEssential: true }));
}
