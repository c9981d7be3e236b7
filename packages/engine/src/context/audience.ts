/** Which tools a session has: some are only for some agents, for tasks, or for sessions that can delegate. */
import type { AgentProfile } from '@pawl/protocol';
import type { State } from '../core/index.ts';
import { mayCall, taskSettingsOf } from '../core/index.ts';
import type { Tool, ToolSpec } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';

type Whose = Pick<Readonly<State>, 'assignment' | 'settings'>;
type Tools = Pick<Registry, 'specs' | 'get'>;

/** The last answers for each set: the array stays the same from step to step, as a prompt's cached prefix must. */
const chosen = new WeakMap<readonly ToolSpec[], Map<string, readonly ToolSpec[]>>();

/** The tools of a session that its agent may call, as `offeredTools` takes them. */
export function toolsFor(tools: Tools, whose: Whose, profile: AgentProfile | null | undefined): Tools {
  const { assignment, settings } = whose;
  const isDeepest = (assignment?.depth ?? 0) >= taskSettingsOf(settings).depth;
  // A task cannot end without the tools that are only for tasks.
  const isAgents = ({ name, audience }: Tool) => audience === 'task' || mayCall(profile, name);
  const isOwn = (tool: Tool) => isAgents(tool) && isFor(tool, assignment, isDeepest);
  const own = (name: string) => {
    const tool = tools.get(name);
    return tool !== undefined && isOwn(tool) ? tool : undefined;
  };
  return { specs: () => specsFor(tools.specs(), keyOf(whose, profile, isDeepest), own), get: own };
}

function isFor({ name, audience }: Tool, assignment: State['assignment'], isDeepest: boolean): boolean {
  if (audience === 'task') return assignment !== null;
  if (audience === 'owner' && isDeepest) return false;
  return assignment?.tools === undefined || assignment.tools.includes(name);
}

/** What the choice depends on. */
function keyOf({ assignment }: Whose, profile: AgentProfile | null | undefined, isDeepest: boolean): string {
  const isPlain = assignment === null && profile?.tools == null;
  return isPlain
    ? String(isDeepest)
    : JSON.stringify([isDeepest, assignment !== null, assignment?.tools ?? null, profile?.tools ?? null]);
}

function specsFor(all: readonly ToolSpec[], key: string, own: (name: string) => Tool | undefined): readonly ToolSpec[] {
  const known = chosen.get(all) ?? new Map<string, readonly ToolSpec[]>();
  chosen.set(all, known);
  const before = known.get(key);
  if (before !== undefined) return before;
  const left = all.filter(({ name }) => own(name) !== undefined);
  const specs = left.length === all.length ? all : left;
  known.set(key, specs);
  return specs;
}
