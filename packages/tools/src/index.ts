/** The tools that Pawl brings along: files, search, shell, and the work itself. */

export { builtinTools } from './builtin.ts';
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
