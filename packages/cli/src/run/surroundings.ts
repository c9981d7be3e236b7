/** What surrounds a run. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Memory, Surroundings } from '@pawl/engine';
import { projectConfigPath, userConfigPath } from '../config/paths.ts';
import { projectOf, readProjectFiles, type ShippedFile } from '../policy/project-files.ts';

/** Loaded when they are needed. */
export function openSurroundings(memory: Memory, environment: NodeJS.ProcessEnv = process.env): Surroundings {
  let opened: Promise<Surroundings> | null = null;
  const open = async () => {
    const { surroundings } = await import('@pawl/tools/surroundings');
    const userFolder = dirname(userConfigPath(environment));
    return surroundings({ userFolder, memory, environment, projectPrompts: projectPrompts(environment) });
  };
  return {
    async gather(query, signal) {
      opened ??= open();
      return (await opened).gather(query, signal);
    },
  };
}

/** A project's own pieces of the prompt, as far as the user has trusted exactly them; what is not is announced once. */
function projectPrompts(environment: NodeJS.ProcessEnv) {
  const announced = new Set<string>();
  return async (cwd: string, notice: (message: string) => void): Promise<readonly ShippedFile[]> => {
    const folder = projectOf(cwd);
    if (!existsSync(join(folder, '.pawl', 'prompts'))) return [];
    const files = readProjectFiles(folder);
    if (files.prompts.length === 0) return [];
    const { trustOf } = await import('../policy/trust.ts');
    const { parseConfig } = await import('../config/parse.ts');
    const path = projectConfigPath(cwd);
    const settings = path === null ? {} : JSON.parse(JSON.stringify(await parseConfig(path)));
    const { state, digest } = trustOf(folder, settings, environment, files);
    if (state === 'trusted') return files.prompts;
    if (digest !== null && !announced.has(digest)) {
      announced.add(digest);
      notice(
        `${join(folder, '.pawl', 'prompts')} is left out, because you have not trusted it. Look at it with: pawl trust`,
      );
    }
    return [];
  };
}
