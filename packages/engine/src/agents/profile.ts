import { parseRule } from '@pawl/policy';
import type { AgentProfile } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { Agent, Agents } from '../ports.ts';

/** A list of agents as a port. */
export function agentsOf(agents: readonly Agent[]): Agents {
  const sorted = [...agents].sort((one, other) => (one.name < other.name ? -1 : 1));
  return {
    get: async (name) => sorted.find((agent) => agent.name === name) ?? null,
    list: async () => sorted,
  };
}

/** What of an agent stands in the log of a session that it works in. @throws `bad_rule`: one that cannot be read would stop every call. */
export function profileOf({ name, tools, rules, delegates, permissionMode }: Agent): AgentProfile {
  for (const rule of [...rules.deny, ...rules.ask, ...rules.allow]) parseRule(rule);
  return {
    name,
    tools: tools === null ? null : [...tools],
    rules: { deny: [...rules.deny], ask: [...rules.ask], allow: [...rules.allow] },
    delegates: delegates === null ? null : [...delegates],
    ...(permissionMode !== null && { mode: permissionMode }),
  };
}

/** The agent of this name, in this folder. @throws `unknown_agent`, with those that there are. */
export async function findAgent(agents: Agents, name: string, cwd: string): Promise<Agent> {
  const found = await agents.get(name, cwd);
  if (found !== null) return found;
  const names = (await agents.list(cwd)).map((agent) => agent.name);
  throw new PawlError('unknown_agent', `There is no agent "${name}". There are: ${names.join(', ')}.`);
}
