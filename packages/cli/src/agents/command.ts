/** `pawl agents`: which there are, and what one is. */

import { oneLine, visible } from '@pawl/engine/readers/visible';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printWarning } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import { tableLines } from '../output/table.ts';
import { usageError } from '../usage-error.ts';
import { parseFolder } from '../values.ts';
import { type FoundAgent, findOne, readAgents } from './find.ts';

export type AgentsFlags = { cwd?: string; json?: true };

/** Exit 2 if one of the files is wrong; the others are shown all the same. */
export async function listAgents({ cwd = '.', json }: AgentsFlags): Promise<ExitCode> {
  const { found, problems } = await readAgents(parseFolder('-C/--cwd', cwd));
  const output = openOutput(process.stdout);
  const rows = found.map(({ agent, from, notes }) => [
    visible(agent.name),
    agent.mode,
    notes.length > 0 ? `${from}, not trusted` : from,
    oneLine(agent.description),
  ]);
  if (json === true) {
    const agents = found.map(({ agent, from, notes }) => ({ ...agent, from, notes }));
    await output.write(`${JSON.stringify({ agents, problems }, null, 2)}\n`);
  } else
    await output.write(
      tableLines(rows)
        .map((line) => `${line}\n`)
        .join(''),
    );
  await output.flush();
  for (const problem of problems) printWarning(problem);
  return problems.length === 0 ? exitCodes.completed : exitCodes.usage;
}

/** @throws `usage` with the names that there are, `bad_agent`. */
export async function showAgent(name: string, { cwd = '.', json }: AgentsFlags): Promise<ExitCode> {
  const folder = parseFolder('-C/--cwd', cwd);
  const found = await findOne(name, folder);
  if (found === null) {
    const names = (await readAgents(folder)).found.map(({ agent }) => agent.name);
    throw usageError(`There is no agent "${name}". There are: ${names.join(', ')}.`);
  }
  const output = openOutput(process.stdout);
  const { agent, from, notes } = found;
  if (json === true) await output.write(`${JSON.stringify({ ...agent, from, notes }, null, 2)}\n`);
  else
    await output.write(
      `${linesOf(found)
        .map((line) => visible(line))
        .join('\n')}\n`,
    );
  await output.flush();
  return exitCodes.completed;
}

function linesOf({ agent, from, notes }: FoundAgent): string[] {
  const { rules } = agent;
  const list = (values: readonly string[] | null, none: string) =>
    values === null ? none : values.join(', ') || 'none';
  const settings: [string, string | null][] = [
    ['from', agent.source ?? from],
    ['mode', agent.mode],
    ['model', agent.model],
    ['tools', list(agent.tools, 'all')],
    ['deny', rules.deny.length > 0 ? rules.deny.join(', ') : null],
    ['ask', rules.ask.length > 0 ? rules.ask.join(', ') : null],
    ['allow', rules.allow.length > 0 ? rules.allow.join(', ') : null],
    ['permission mode', agent.permissionMode],
    ['delegates', list(agent.delegates, 'any')],
    ['colour', agent.colour],
    ['steps', agent.steps === null ? null : String(agent.steps)],
  ];
  return [
    `${agent.name}: ${agent.description}`,
    ...tableLines(
      settings.flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
      '  ',
    ),
    ...notes.map((note) => `  ${note}`),
    ...(agent.prompt === '' ? [] : ['', agent.prompt]),
  ];
}
