/** Where settings are. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';

/** `PAWL_CONFIG`; else `pawl/config.yaml` under `XDG_CONFIG_HOME`, which counts only if absolute; else under `~/.config`. */
export function userConfigPath(environment: NodeJS.ProcessEnv): string {
  const { PAWL_CONFIG, XDG_CONFIG_HOME } = environment;
  if (PAWL_CONFIG) return resolve(PAWL_CONFIG);
  const folder = XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homedir(), '.config');
  return join(folder, 'pawl', 'config.yaml');
}

/** From `folder` upward to the root of its repository; outside of one, `folder` alone. */
function foldersOf(folder: string): string[] {
  const folders: string[] = [];
  for (let current = folder; ; current = dirname(current)) {
    folders.push(current);
    if (existsSync(join(current, '.git'))) return folders;
    if (dirname(current) === current) return [folder];
  }
}

/** The nearest `.pawl/config.yaml`, or null: what lies above the repository is not the project's. */
export function projectConfigPath(folder: string): string | null {
  const paths = foldersOf(folder).map((one) => join(one, '.pawl', 'config.yaml'));
  return paths.find((path) => existsSync(path)) ?? null;
}

/** The folder that stands for the project: the root of its repository, or the folder itself. */
export function projectFolder(folder: string): string {
  return foldersOf(folder).at(-1) ?? folder;
}
