import type { SandboxOptions } from './sandbox/index.ts';
import type { WebOptions } from './web/options.ts';

/** What can be set about the built-in tools. Every part has a default. */
export type ToolOptions = {
  /** Larger texts are neither read nor edited; images and PDFs have limits of their own. Bytes; default 10 MB. */
  maxFileBytes: number;
  /** How long a command may run if it does not say; ms, default 120 000. */
  commandTimeoutMs: number;
  /** The longest time that a command can ask for; ms, default 600 000. */
  maxCommandTimeoutMs: number;
  /** Between the friendly end of a process group and the forced one; ms, default 1500. */
  killGraceMs: number;
  /** How much of a command's output is kept: half from its beginning, half from its end. Bytes; default 2 MB. */
  maxCommandOutputBytes: number;
  /** The environment that commands start from; default this process's. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Names of variables that commands get although they look like secrets. Default none. */
  keptVariables: readonly string[];
  /** Keys that no command gets in any variable. Default none. */
  secrets: readonly string[];
  /** What commands may do; in part or whole. Default: to change the session's folder, without a network. */
  sandbox: Partial<SandboxOptions>;
  /** Gets, once, the sentence that says that there is no sandbox. Default: a warning of the process. */
  notice(line: string): void;
  /** How long a background process may run; ms, default 4 hours. */
  maxBackgroundMs: number;
  /** Background processes that run at the same time in one session, at most; default 16. */
  maxBackgroundProcesses: number;
  /** How much of a background process's output its log holds, the latest; bytes, default 10 MB. */
  maxLogBytes: number;
  /** Limits of the web tools; in part. Their environment is the one above. */
  web: Partial<WebOptions>;
};

export function withDefaults(options: Partial<ToolOptions> = {}): ToolOptions {
  return {
    maxFileBytes: 10_000_000,
    commandTimeoutMs: 120_000,
    maxCommandTimeoutMs: 600_000,
    killGraceMs: 1500,
    maxCommandOutputBytes: 2_000_000,
    environment: process.env,
    keptVariables: [],
    secrets: [],
    sandbox: {},
    notice: (line) => process.emitWarning(line, { code: 'PAWL_NO_SANDBOX' }),
    maxBackgroundMs: 4 * 3_600_000,
    maxBackgroundProcesses: 16,
    maxLogBytes: 10_000_000,
    web: {},
    ...options,
  };
}
