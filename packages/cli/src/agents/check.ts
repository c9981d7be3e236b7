/** Whether a run can be of an agent. */
import type { Agent } from '@pawl/engine';
import { usageError } from '../usage-error.ts';
import { findOne, readAgents } from './find.ts';

/** What a session is of that names none. */
export const defaultAgent = 'builder';

/** @throws `usage` with those that there are, `bad_agent`. */
export async function agentFor(
  flag: string,
  name: string,
  cwd: string,
): Promise<{ agent: Agent; notes: readonly string[] }> {
  const found = await findOne(name, cwd);
  if (found !== null && found.agent.mode !== 'task') return found;
  const { found: all } = await readAgents(cwd);
  const names = all.filter(({ agent }) => agent.mode !== 'task').map(({ agent }) => agent.name);
  const what = found === null ? `there is no agent "${name}"` : `the agent "${name}" only takes tasks from others`;
  throw usageError(`${flag}: ${what}. There are: ${names.join(', ')}.`);
}
