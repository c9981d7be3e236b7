/** The model that was last picked with `-m` in each project: the default there where nothing is configured. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../config/paths.ts';
import { dataFolder } from '../home.ts';

/** Projects that are remembered; the one that was picked for longest ago is forgotten. */
const maxProjects = 200;

const picksPath = (environment: NodeJS.ProcessEnv) => join(dataFolder(environment), 'last-models.json');

/** By the project's folder, the newest last. A file that is not there or damaged holds nothing. */
function readPicks(environment: NodeJS.ProcessEnv): [folder: string, model: string][] {
  try {
    const value: unknown = JSON.parse(readFileSync(picksPath(environment), 'utf8'));
    if (typeof value !== 'object' || value === null) return [];
    return Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  } catch {
    return [];
  }
}

export function lastPick(folder: string, environment: NodeJS.ProcessEnv = process.env): string | null {
  const project = projectFolder(folder);
  return readPicks(environment).find(([folder]) => folder === project)?.[1] ?? null;
}

/**
 * Remembers a pick, unless it is only for trying things out: `demo` and recordings. That it cannot be written harms
 * nothing but itself, and the data folder is looked at elsewhere.
 */
export function rememberPick(folder: string, model: string, environment: NodeJS.ProcessEnv = process.env): void {
  if (model === 'demo' || model.startsWith('replay:')) return;
  const project = projectFolder(folder);
  const picks = readPicks(environment);
  if (picks.at(-1)?.[0] === project && picks.at(-1)?.[1] === model) return;
  const others = picks.filter(([folder]) => folder !== project);
  const kept = [...others, [project, model] as const].slice(-maxProjects);
  const path = picksPath(environment);
  const fresh = `${path}.${process.pid}.tmp`;
  try {
    mkdirSync(dataFolder(environment), { recursive: true, mode: 0o700 });
    writeFileSync(fresh, `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`, { mode: 0o600 });
    renameSync(fresh, path);
  } catch {
    // As said above.
  }
}
