/** The tools of a run: contained as the user wants it, and without the user's keys. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fallbackFolder } from '@pawl/client/local';
import type { Redactor, Tool } from '@pawl/engine';
import {
  builtinTools,
  createRedactor,
  defaultLimits,
  type SandboxMode,
  type SandboxOptions,
  secretsIn,
} from '@pawl/tools';
import { memoryTools } from '@pawl/tools/memory';
import type { Config } from '../config/config.ts';
import { userConfigPath } from '../config/paths.ts';
import { dataFolder } from '../home.ts';
import { openMemory } from '../memory/open.ts';

/** Those that a run has, in no order. */
export const toolNames = (): string[] => [...builtinTools(), ...memoryTools(openMemory())].map(({ name }) => name);

export type OpenTools = {
  config: Config;
  /** What `--sandbox` says, if it does. */
  sandbox: SandboxMode | null;
  notice(line: string): void;
  environment?: NodeJS.ProcessEnv;
};

export function openTools({ config, sandbox, notice, environment = process.env }: OpenTools): {
  tools: Tool[];
  redactor: Redactor;
} {
  const keyFiles = Object.values(config.models.providers ?? {})
    .flatMap(({ keys = [] }) => keys)
    .flatMap((key) => ('file' in key ? [key.file] : []));
  const secrets = [...namedKeys(config, environment), ...keyFiles.flatMap(keyIn), ...secretsIn(environment)];
  return {
    tools: builtinTools({ environment, secrets, notice, sandbox: sandboxFor(config, sandbox, keyFiles, environment) }),
    redactor: redactorOf(secrets, environment),
  };
}

/** A secret is marked by the variable that holds it, where one does. */
function redactorOf(secrets: readonly string[], environment: NodeJS.ProcessEnv): Redactor {
  const nameOf = (value: string) => Object.entries(environment).find(([, held]) => held?.includes(value))?.[0] ?? 'key';
  return createRedactor(secrets.filter((value) => value !== '').map((value) => ({ name: nameOf(value), value })));
}

/** Nobody's commands change the settings, or see sessions and keys. */
function sandboxFor(
  { sandbox, sandboxNetwork, sandboxHome, sandboxLimits }: Config,
  flag: SandboxMode | null,
  keyFiles: readonly string[],
  environment: NodeJS.ProcessEnv,
): SandboxOptions {
  return {
    mode: flag ?? sandbox ?? 'workspace-write',
    network: sandboxNetwork,
    protectedPaths: [dirname(userConfigPath(environment))],
    hiddenPaths: [
      dataFolder(environment),
      fallbackFolder(dataFolder(environment)),
      userConfigPath(environment),
      ...keyFiles,
    ],
    shownOfHome: sandboxHome,
    limits: { ...defaultLimits(), ...sandboxLimits },
  };
}

/** Keys in variables that the settings name, whatever they are called. */
function namedKeys({ models }: Config, environment: NodeJS.ProcessEnv): string[] {
  return Object.values(models.providers ?? {})
    .flatMap(({ keys = [] }) => keys)
    .flatMap((key) => ('env' in key ? [environment[key.env]?.trim() ?? ''] : []));
}

function keyIn(path: string): string[] {
  try {
    return [readFileSync(path, 'utf8').trim()];
  } catch {
    // That it is missing is told by who needs it.
    return [];
  }
}
