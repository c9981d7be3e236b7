/** The commands about rules and trust, with their flags and help. */
import { permissionModes } from '@pawl/protocol';
import { Command, Option } from 'commander';
import type { ExitCode } from '../exit-codes.ts';
import type { ExplainFlags } from './explain.ts';
import type { PolicyFlags } from './rules.ts';
import type { TrustFlags } from './trust-command.ts';

export function policyCommands(done: (code: ExitCode) => void): Command[] {
  return [policyCommand(done), trustCommand(done)];
}

const withFlags = (command: Command): Command =>
  command
    .option('-s, --session <id>', 'with the rules of this session: its id, the beginning of it, or "latest"')
    .option('-C, --cwd <folder>', 'the folder, if not this one')
    .option('--json', 'as JSON');

function policyCommand(done: (code: ExitCode) => void): Command {
  const policy = new Command('policy').description('explain, list and remove permission rules');
  withFlags(policy.command('explain'))
    .description('say which rule decides on a call, part by part, and why; nothing is run')
    .argument('<call>', "as tool(argument), in quotes: 'bash(git log && rm x)', 'edit(src/a.ts)'")
    .addOption(new Option('--permission-mode <mode>', 'as if in this mode').choices(permissionModes))
    .action(async (call: string, flags: ExplainFlags) => {
      const { explainCall } = await import('./explain.ts');
      done(await explainCall(call, flags));
    });
  withFlags(policy.command('list'))
    .description('show the mode and all rules that hold here, with where they are written')
    .action(async (flags: PolicyFlags) => {
      const { listRules } = await import('./list.ts');
      done(await listRules(flags));
    });
  withFlags(policy.command('remove'))
    .description("remove a rule from the settings of the user and the project; with -s, from the session's own")
    .argument('<rule>', 'as shown by: pawl policy list')
    .action(async (rule: string, flags: PolicyFlags) => {
      const { removeRule } = await import('./remove.ts');
      done(await removeRule(rule, flags));
    });
  return policy;
}

function trustCommand(done: (code: ExitCode) => void): Command {
  const trust = new Command('trust')
    .description('let what a project ships take effect: rules that allow, modes, fields of requests, agents, prompts')
    .argument('[folder]', 'the project, if not the one of this folder')
    .option('-y, --yes', 'without asking')
    .option('--json', 'as JSON')
    .action(async (folder: string | undefined, flags: TrustFlags) => {
      const { trustProject } = await import('./trust-command.ts');
      done(await trustProject(folder, flags));
    });
  trust
    .command('list')
    .description('show the projects that are trusted')
    .option('--json', 'as JSON')
    // The same flag of the command above takes it.
    .action(async (_: TrustFlags, command: Command) => {
      const { listTrusted } = await import('./trust-command.ts');
      done(await listTrusted(command.optsWithGlobals<TrustFlags>()));
    });
  trust
    .command('remove')
    .description('trust a project no longer')
    .argument('[folder]', 'the project, if not the one of this folder')
    .action(async (folder: string | undefined) => {
      const { removeTrust } = await import('./trust-command.ts');
      done(await removeTrust(folder));
    });
  return trust;
}
