/** Which tools a session has: not all are for tasks, not all are for those that can have none, and some tasks get few. */
import type { State } from '../core/index.ts';
import { taskSettingsOf } from '../core/index.ts';
import type { Tool, ToolSpec } from '../ports.ts';
import type { Registry } from '../runtime/registry.ts';

type Whose = Pick<Readonly<State>, 'assignment' | 'settings'>;
type Tools = Pick<Registry, 'specs' | 'get'>;

/** Whether a session may use a tool. */
export function isFor({ assignment, settings }: Whose, { name, audience }: Pick<Tool, 'name' | 'audience'>): boolean {
  if (audience === 'task') return assignment !== null;
  if (audience === 'owner' && (assignment?.depth ?? 0) >= taskSettingsOf(settings).depth) return false;
  return assignment?.tools === undefined || assignment.tools.includes(name);
}

/** The last answer for each set: the array stays the same from step to step, as a prompt's cached prefix must. */
const chosen = new WeakMap<readonly ToolSpec[], Map<string, readonly ToolSpec[]>>();

/** The tools of a session, as `offeredTools` takes them. */
export function toolsFor(tools: Tools, whose: Whose): Tools {
  const all = tools.specs();
  const { assignment, settings } = whose;
  const key = JSON.stringify([assignment?.depth ?? 0, taskSettingsOf(settings).depth, assignment?.tools ?? null]);
  const known = chosen.get(all) ?? new Map<string, readonly ToolSpec[]>();
  chosen.set(all, known);
  const isOwn = (name: string) => {
    const tool = tools.get(name);
    return tool !== undefined && isFor(whose, tool);
  };
  const specs = known.get(key) ?? (all.every(({ name }) => isOwn(name)) ? all : all.filter(({ name }) => isOwn(name)));
  known.set(key, specs);
  return { specs: () => specs, get: (name) => (isOwn(name) ? tools.get(name) : undefined) };
}
