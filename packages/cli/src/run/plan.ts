/** A plan waits for somebody to say who carries it out. */
import { createInterface } from 'node:readline/promises';
import type { Agent } from '@pawl/engine';
import { createId } from '@pawl/engine';
import { oneLine } from '@pawl/engine/readers/visible';
import { readAgents } from '../agents/find.ts';
import { openKeyboard } from '../approvals/person.ts';
import type { Begin } from './begin.ts';
import { untilAnswered } from './watch.ts';

/** Gives the plan to this agent. @throws the refusal, such as `no_plan`. */
export function carryOut(agent: string): Begin {
  return async (session) => {
    const id = createId();
    const begun = untilAnswered(id);
    await session.command('plan.execute', { agent }, id);
    return begun;
  };
}

/** Asks the person at the terminal who is to carry the plan out; null is nobody now. */
export async function chooseAgent(planner: string, cwd: string): Promise<string | null> {
  const { found } = await readAgents(cwd);
  const agents = found
    .map(({ agent }) => agent)
    .filter(({ mode, name }) => mode !== 'task' && name !== planner)
    .sort(builderFirst);
  if (agents.length === 0) return null;
  const lines = agents.map(({ name, description }, index) => `  ${index + 1}  ${name}  ${oneLine(description)}\n`);
  process.stderr.write(`Who carries the plan out?\n${lines.join('')}`);
  const reader = createInterface({ input: openKeyboard(), output: process.stderr });
  // Ctrl-C and Ctrl-D end the asking: nobody chose.
  const ended = new Promise<''>((resolve) => reader.once('close', () => resolve('')));
  try {
    for (;;) {
      const asked = reader.question('Number or name; Enter leaves the plan for later: ');
      const answer = (await Promise.race([asked, ended])).trim();
      if (answer === '') return null;
      const chosen = agents[Number(answer) - 1] ?? agents.find(({ name }) => name === answer);
      if (chosen !== undefined) return chosen.name;
    }
  } finally {
    reader.close();
  }
}

const builderFirst = (one: Agent, other: Agent) =>
  Number(other.name === 'builder') - Number(one.name === 'builder') || (one.name < other.name ? -1 : 1);
