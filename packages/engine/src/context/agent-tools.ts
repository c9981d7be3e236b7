/** The tools that the session's agent may call. */
import type { AgentProfile } from '@pawl/protocol';
import { mayCall } from '../core/index.ts';
import type { ToolSpec } from '../ports.ts';
import type { Registry } from '../runtime/registry.ts';

type Known = { key: string; specs: readonly ToolSpec[] };
/** The last answer for each set: the array stays the same from step to step, as a prompt's cached prefix must. */
const known = new WeakMap<readonly ToolSpec[], Known>();

/** A registry's tools as this agent has them. */
export function toolsOf(
  tools: Pick<Registry, 'specs' | 'get'>,
  profile: AgentProfile | null | undefined,
): Pick<Registry, 'specs' | 'get'> {
  if (profile?.tools == null) return tools;
  return {
    specs: () => specsOf(tools.specs(), profile),
    get: (name) => (mayCall(profile, name) ? tools.get(name) : undefined),
  };
}

function specsOf(all: readonly ToolSpec[], profile: AgentProfile): readonly ToolSpec[] {
  const key = JSON.stringify(profile.tools);
  const before = known.get(all);
  if (before?.key === key) return before.specs;
  const specs = all.filter(({ name }) => mayCall(profile, name));
  known.set(all, { key, specs });
  return specs;
}
