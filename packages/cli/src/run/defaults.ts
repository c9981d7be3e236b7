/** What a run takes from the settings and from its agent where no flag says otherwise. */
import type { Agent, SessionSummary } from '@pawl/engine';
import type { PermissionMode } from '@pawl/protocol';
import { isWiderMode } from '@pawl/protocol';
import { agentFor, defaultAgent } from '../agents/check.ts';
import type { Config } from '../config/config.ts';
import { printWarning } from '../output/notice.ts';
import type { RunOptions } from './flags.ts';

/** Null where the session keeps its own. @throws `usage` for an agent that there is not. */
export async function agentOf(
  { agent, executesAs, cwd }: RunOptions,
  found: SessionSummary | null,
): Promise<Agent | null> {
  const [flag, name] = executesAs === null ? ['--agent', agent] : ['--execute-plan', executesAs];
  if (name === null && found !== null) return null;
  const chosen = await agentFor(flag, name ?? defaultAgent, found?.cwd ?? cwd);
  for (const note of chosen.notes) printWarning(`${chosen.agent.source}: ${note}`);
  return chosen.agent;
}

/** Only a new session takes them: one that exists keeps its own. */
export function withDefaults(
  options: RunOptions,
  { mode, limits, compaction }: Config,
  agent: Agent | null,
): RunOptions {
  if (options.session.kind !== 'new') return options;
  return {
    ...options,
    mode: options.mode ?? modeFrom(mode, agent),
    limits: { ...limits, ...(agent?.steps != null && { steps: agent.steps }), ...options.limits },
    ...(Object.keys(compaction).length > 0 && { compaction }),
  };
}

/** An agent that works in a wider mode was given it by name, which says more than a setting for all. */
function modeFrom(mode: Config['mode'], agent: Agent | null): PermissionMode | null {
  return isWiderMode(agent?.permissionMode ?? null) && mode !== 'plan' ? null : mode;
}
