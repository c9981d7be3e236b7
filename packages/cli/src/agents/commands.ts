/** The commands about agents, with their flags and help. */
import { Command } from 'commander';
import type { ExitCode } from '../exit-codes.ts';
import type { AgentsFlags } from './command.ts';

export function agentsCommand(done: (code: ExitCode) => void): Command {
  const agents = new Command('agents').description('list and show agents: built in, yours, and those of the project');
  const withFlags = (command: Command) =>
    command.option('-C, --cwd <folder>', 'the folder, if not this one').option('--json', 'as JSON');
  withFlags(agents.command('list'))
    .description('list the agents that there are here')
    .action(async (flags: AgentsFlags) => {
      const { listAgents } = await import('./command.ts');
      done(await listAgents(flags));
    });
  withFlags(agents.command('show'))
    .description('show what an agent is told and may do')
    .argument('<name>', 'its name')
    .action(async (name: string, flags: AgentsFlags) => {
      const { showAgent } = await import('./command.ts');
      done(await showAgent(name, flags));
    });
  return agents;
}
