/** `pawl run`, with its flags and help. */
import { permissionModes } from '@pawl/protocol';
import { Command, Option } from 'commander';
import type { ExitCode } from '../exit-codes.ts';
import type { RunFlags } from './flags.ts';

type Done = (code: ExitCode) => void;

/** `isConversation`: the command line names no command, and a person sits where it was written. */
export function runCommand(done: Done, isConversation: () => boolean = () => false): Command {
  const command = new Command('run')
    .description('run a prompt until its turn has ended, or go on with a session')
    .argument('[prompt...]', 'what to do; what is piped in is added to it, and - waits for it')
    .option('-p, --prompt [text]', 'the prompt, also as: pawl -p "…"')
    .addOption(
      new Option('-c, --continue', 'go on with the newest session of this folder').conflicts(['resume', 'sessionId']),
    )
    .addOption(
      new Option('-r, --resume <id>', 'go on with a session: its id, the beginning of it, or "latest"').conflicts(
        'sessionId',
      ),
    )
    .option('--session-id <id>', 'the id of the new session')
    .option('-C, --cwd <folder>', 'the folder to work in, if not this one')
    .option('--user <name>', 'for whom the new session works')
    .option('--channel <name>', 'where it came in')
    .option('--workflow <slug/step>', 'the step of a workflow that it is')
    .option('--meta <key=value>', 'more to keep with it; may be repeated', collect);
  return addRunOptions(command).action(async (words: string[], flags: RunFlags) => {
    if (isConversation() && suitsConversation(flags)) {
      const { converseAtTerminal } = await import('../terminal/open.ts');
      done(await converseAtTerminal(words, flags));
      return;
    }
    const { run } = await import('./run.ts');
    done(await run(words, flags));
  });
}

/** What is asked for with these flags is one turn and its outcome. */
function suitsConversation(flags: RunFlags): boolean {
  const { prompt, outputFormat, inputFormat, outputSchema, attended, untilDone, executePlan, verbose, showThinking } =
    flags;
  const asksForOutcome = [prompt, outputSchema, attended, untilDone, executePlan, verbose, showThinking];
  return outputFormat === 'text' && inputFormat === 'text' && asksForOutcome.every((flag) => flag === undefined);
}

const collect = (value: string, before: string[] = []) => [...before, value];

/** The flags of whatever runs a turn. */
export function addRunOptions(command: Command): Command {
  return command
    .option('-m, --model <name>', 'the model: demo, replay:<file>, <provider>/<model>, or a pool')
    .option('-a, --attach <file>', 'an image or a PDF that goes with the prompt; may be repeated', collect)
    .option('--agent <name>', 'the agent: builder, planner, or one of your own (pawl agents list)')
    .option('--execute-plan [agent]', "carry out the session's plan (default: by builder)")
    .addOption(
      new Option('--permission-mode <mode>', "how the tools' own questions are answered").choices(permissionModes),
    )
    .addOption(
      new Option(
        '--sandbox <mode>',
        'what commands may change (default: workspace-write, where it is to be had)',
      ).choices(['workspace-write', 'read-only', 'off']),
    )
    .option('--allow <rule>', 'allow calls, as tool or tool(pattern); may be repeated', collect)
    .option('--ask <rule>', 'ask for calls, whatever the mode; may be repeated', collect)
    .option('--deny <rule>', 'deny calls; may be repeated', collect)
    .addOption(
      new Option('--output-format <format>', 'text, one JSON object at the end, or the events as they happen')
        .choices(['text', 'json', 'stream-json'])
        .default('text'),
    )
    .option('-v, --verbose', 'show everything as it happens: thinking, what tools say, whole diffs')
    .option('--show-thinking', 'show what the model thinks')
    .option('--output-schema <file>', 'a JSON Schema: the result is JSON that satisfies it')
    .option('--tool-choice <choice>', 'auto, none, required, or the name of the tool to call first')
    .option('--request-timeout <time>', 'the longest time of one call of the model')
    .option('--until-done', 'keep going until the agent says that it is done and nothing is open')
    .option('--max-iterations <n>', 'with --until-done: the most rounds (default: 10)')
    .option('--verify <command>', 'with --until-done: what must succeed before it counts as done; run without asking')
    .option('--max-steps <n>', 'the most model calls of the turn (default: 20)')
    .option('--max-duration <time>', 'the longest time of the turn: 90s, 5m, or seconds')
    .option('--max-tokens <n>', 'the most tokens of the turn')
    .option('--max-usd <dollars>', 'the most dollars of the turn')
    .option('--session-tokens <n>', 'the most tokens of the session in all; also raises the limit of one that exists')
    .option('--session-usd <dollars>', 'the most dollars of the session in all; likewise')
    .option('--attended', 'what must be asked about waits for an answer from another terminal (pawl approve)')
    .addOption(
      new Option('--input-format <format>', 'what comes on standard input: text of the prompt, or commands')
        .choices(['text', 'stream-json'])
        .default('text'),
    )
    .option('--record <file>', 'record the bytes of all requests and answers, without keys, for --model replay:<file>')
    .option('--replay-any', 'with --model replay:<file>: also if the requests are not the recorded ones');
}
