/** What the user and the project have settled. Nothing is loaded where there is no file. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { ModelsSettings } from '@pawl/models/select';
import type { CompactionSettings, Flow, Limits, PermissionMode, RuleSet, TaskSettings } from '@pawl/protocol';
import { stricterMode } from '@pawl/protocol';
import type { NetworkAccess, SandboxLimits, SandboxMode } from '@pawl/tools';
import type { Trust } from '../policy/trust.ts';
import { smaller, stricterTasks } from './limits.ts';
import { badConfig, parseConfig } from './parse.ts';
import { projectConfigPath, userConfigPath } from './paths.ts';
import type { SettingsFile } from './schema/settings.ts';

export type Config = {
  /** The model of runs that name none, and the file that says so. */
  model: { name: string; from: string } | null;
  mode: PermissionMode | null;
  /** What commands may change; null where nobody says. */
  sandbox: SandboxMode | null;
  /** What of the network they reach. */
  sandboxNetwork: NetworkAccess;
  /** What they see of the home, besides the usual. */
  sandboxHome: readonly string[];
  /** What they may take of the machine, where it is not the usual. */
  sandboxLimits: Partial<SandboxLimits>;
  /** Rules of the user, and of the project, which allows only what the user has trusted. */
  rules: RuleSet;
  projectRules: RuleSet;
  limits: Partial<Limits>;
  /** How agents delegate, and what starts when work ends. */
  tasks: Partial<TaskSettings>;
  flows: readonly Flow[];
  /** When histories are compacted: the project's word before the user's. */
  compaction: Partial<CompactionSettings>;
  /** Groups of people, and which approvals go to which; the user's alone. */
  approvers: NonNullable<SettingsFile['approvers']> | null;
  /** Providers, pools, variants and models. */
  models: ModelsSettings;
  /** The files that were read. */
  files: readonly string[];
  /** What a person should know of them, a line each with the file and the place. */
  warnings: readonly string[];
};

type ReadOptions = {
  /** Where the work is: its project's settings count too. */
  folder?: string;
  /** Names of the tools that there are, to find rules about others. */
  tools?: readonly string[];
  environment?: NodeJS.ProcessEnv;
};

/** @throws `bad_config`, one line with the file and the place in it. */
export async function readConfig({ folder, tools, environment = process.env }: ReadOptions = {}): Promise<Config> {
  const userPath = userConfigPath(environment);
  const hasUser = existsSync(userPath);
  if (!hasUser && environment.PAWL_CONFIG) {
    throw badConfig(userPath, 'there is no such file. Correct PAWL_CONFIG, or unset it.');
  }
  const projectPath = folder === undefined ? null : projectConfigPath(folder);
  if (!hasUser && projectPath === null) return configOf({}, {}, userPath, '', []);

  const user = hasUser ? withPaths(await readFile(userPath), dirname(userPath)) : {};
  const { restrictProject } = await import('./project.ts');
  const { firstMistake, rulesOfUnknownTools } = await import('./meaning.ts');
  const { providerNames } = await import('@pawl/models/select');
  const written = projectPath === null ? {} : await readFile(projectPath);
  const known = providerNames(user);
  const trust = projectPath === null ? 'none' : await trustAt(projectPath, written, environment);
  const { settings: project, ignored } = restrictProject(written, {
    user,
    userPath,
    isKnown: (provider) => known.includes(provider),
    trust,
  });

  const files = [
    { path: userPath, settings: user, ignored: [] as readonly string[], all: user },
    {
      path: projectPath ?? '',
      settings: project,
      ignored: [...ignored, ...unusedHosts(user, project, userPath)],
      all: mergeModels(user, project),
    },
  ];
  const warnings: string[] = [];
  for (const { path, settings, ignored: lines, all } of files) {
    const mistake = firstMistake(settings, all);
    if (mistake !== null) throw badConfig(path, mistake);
    const stray = tools === undefined ? [] : rulesOfUnknownTools(settings, tools);
    warnings.push(...[...lines, ...stray].map((line) => `${path}: ${line}`));
  }
  return configOf(user, project, userPath, projectPath ?? '', warnings);
}

function configOf(
  user: SettingsFile,
  project: SettingsFile,
  userPath: string,
  projectPath: string,
  warnings: readonly string[],
): Config {
  const none: RuleSet = { deny: [], ask: [], allow: [] };
  const model =
    project.model !== undefined
      ? { name: project.model, from: projectPath }
      : user.model !== undefined
        ? { name: user.model, from: userPath }
        : null;
  return {
    model,
    mode:
      user.mode !== undefined && project.mode !== undefined
        ? stricterMode(user.mode, project.mode)
        : (user.mode ?? project.mode ?? null),
    sandbox: stricter(strictestFirst, user.sandbox, project.sandbox),
    sandboxNetwork: narrowedNetwork(user.sandboxNetwork, project.sandboxNetwork),
    sandboxHome: user.sandboxHome ?? [],
    sandboxLimits: user.sandboxLimits ?? {},
    rules: { ...none, ...user.rules },
    projectRules: { ...none, ...project.rules },
    limits: smaller(user.limits ?? {}, project.limits ?? {}),
    tasks: stricterTasks(user.tasks ?? {}, project.tasks ?? {}),
    flows: [...(user.flows ?? []), ...(project.flows ?? [])],
    compaction: { ...user.compaction, ...project.compaction },
    approvers: user.approvers ?? null,
    models: mergeModels(user, project),
    files: [userPath, projectPath].filter((path) => path !== '' && existsSync(path)),
    warnings,
  };
}

/** A project's pools and variants stand beside the user's, or in place of those of the same name. */
function mergeModels(user: SettingsFile, project: SettingsFile): ModelsSettings {
  return {
    ...(user.providers !== undefined && { providers: user.providers }),
    ...(user.models !== undefined && { models: user.models }),
    pools: { ...user.pools, ...project.pools },
    variants: { ...user.variants, ...project.variants },
  };
}

const strictestFirst: readonly SandboxMode[] = ['read-only', 'workspace-write', 'off'];

/** Of two settings the one that comes first in the order. */
function stricter<Setting>(
  order: readonly Setting[],
  user: Setting | undefined,
  project: Setting | undefined,
): Setting | null {
  return order.find((one) => one === user || one === project) ?? null;
}

/** What a project leaves of the network that the user gives; by itself it gives none. */
function narrowedNetwork(
  user: SettingsFile['sandboxNetwork'] = 'off',
  project?: SettingsFile['sandboxNetwork'],
): NetworkAccess {
  if (user === 'off' || project === 'off') return 'off';
  const within = Array.isArray(project) ? project : null;
  if (user !== 'on') return { hosts: user, within };
  return within === null ? 'on' : { hosts: 'any', within };
}

/** A project that names hosts seems to need them; who has said `off` knows. */
function unusedHosts(user: SettingsFile, project: SettingsFile, userPath: string): string[] {
  if (user.sandboxNetwork !== undefined || !Array.isArray(project.sandboxNetwork)) return [];
  return [`sandboxNetwork: ignored, because a project may not let its commands out. Put it into ${userPath}.`];
}

async function readFile(path: string): Promise<SettingsFile> {
  const value = await parseConfig(path);
  const [{ check }, { settings }] = await Promise.all([import('./schema/check.ts'), import('./schema/settings.ts')]);
  const checked = check(value, settings);
  if ('problem' in checked) throw badConfig(path, checked.problem);
  return checked.value;
}

/** Whether the user has trusted exactly what this file brings along; of one that brings nothing nobody asks. */
async function trustAt(path: string, written: SettingsFile, environment: NodeJS.ProcessEnv): Promise<Trust['state']> {
  const { trustOf } = await import('../policy/trust.ts');
  return trustOf(dirname(dirname(path)), JSON.parse(JSON.stringify(written)), environment).state;
}

/** Files of keys are named from the folder of the settings, or from the home. */
function withPaths(written: SettingsFile, folder: string): SettingsFile {
  if (written.providers === undefined) return written;
  const absolute = (file: string) =>
    /^~(?=[/\\])/.test(file) ? join(homedir(), file.slice(1)) : resolve(folder, file);
  const providers = Object.entries(written.providers).map(([name, provider]) => {
    const keys = provider.keys?.map((key) => (key.file === undefined ? key : { file: absolute(key.file) }));
    return [name, { ...provider, ...(keys !== undefined && { keys }) }] as const;
  });
  return { ...written, providers: Object.fromEntries(providers) };
}
