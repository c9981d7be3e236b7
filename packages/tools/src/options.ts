/** What can be set about the built-in tools. Every part has a default. */
export type ToolOptions = {
  /** Larger files are neither read nor edited. Bytes; default 10 MB. */
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
    ...options,
  };
}
