/** Files that a project ships in `.pawl`, and that count only as the user has trusted them: agents, pieces of the prompt. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isInside } from '@pawl/policy';
import type { JsonObject } from '@pawl/protocol';
import { projectConfigPath, projectFolder } from '../config/paths.ts';

export type ShippedFile = { name: string; path: string; text: string };
export type ProjectFiles = { agents: readonly ShippedFile[]; prompts: readonly ShippedFile[] };

const maxFiles = 50;
const maxBytes = 64 * 1024;
const fileName = /^([A-Za-z0-9][A-Za-z0-9_-]{0,63})\.md$/;

/** The folder that a project's settings belong to. */
export function projectOf(cwd: string): string {
  const path = projectConfigPath(cwd);
  return path === null ? projectFolder(cwd) : dirname(dirname(path));
}

/** Read at one moment, so that what is trusted is what is used. */
export function readProjectFiles(folder: string): ProjectFiles {
  return { agents: filesIn(folder, 'agents'), prompts: filesIn(folder, 'prompts') };
}

/** What cannot be read, leads out of the project, or is too large is no file of it; the others are. */
function filesIn(project: string, kind: keyof ProjectFiles): ShippedFile[] {
  const folder = join(project, '.pawl', kind);
  if (!existsSync(folder)) return [];
  try {
    const root = realpathSync(project);
    const names = readdirSync(folder).filter((entry) => fileName.test(entry));
    return names
      .sort()
      .slice(0, maxFiles)
      .flatMap((entry) => shippedFile(root, join(folder, entry), fileName.exec(entry)?.[1] ?? entry));
  } catch {
    // A folder that changes meanwhile or must not be read ships nothing.
    return [];
  }
}

function shippedFile(root: string, path: string, name: string): ShippedFile[] {
  try {
    const real = realpathSync(path);
    const status = statSync(real);
    if (!isInside(root, real) || !status.isFile() || status.size > maxBytes) return [];
    return [{ name, path, text: readFileSync(real, 'utf8') }];
  } catch {
    // A link that leads nowhere, or what must not be read.
    return [];
  }
}

/** As settings, the way `pawl trust` shows them and the digest counts them. */
export function filesAsSettings({ agents, prompts }: ProjectFiles): JsonObject {
  const entries = (files: readonly ShippedFile[]) => Object.fromEntries(files.map(({ name, text }) => [name, text]));
  return {
    ...(agents.length > 0 && { agents: entries(agents) }),
    ...(prompts.length > 0 && { prompts: entries(prompts) }),
  };
}
