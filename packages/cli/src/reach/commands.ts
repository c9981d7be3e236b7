/** Commands that reach a session from outside, whoever drives it. */
import { Command, Option } from 'commander';
import type { ExitCode } from '../exit-codes.ts';
import type { AnswerFlags, ApproveFlags } from './answer.ts';
import type { SendFlags } from './send.ts';
import type { WatchFlags } from './watch.ts';

type Done = (code: ExitCode) => void;

const named = 'its id, the beginning of it, or "latest"';
const ofTask = 'its id or that of a task, the beginning of it, or "latest"';
const collect = (value: string, before: string[] = []) => [...before, value];

const formatOption = () =>
  new Option('--output-format <format>', 'text, one JSON object at the end, or the events as they happen')
    .choices(['text', 'json', 'stream-json'])
    .default('text');

export function reachCommands(done: Done): Command[] {
  return [sendCommand(done), watchCommand(done), ...signalCommands(done), ...answerCommands(done)];
}

function sendCommand(done: Done): Command {
  return new Command('send')
    .description('send an input to a session, also one that another terminal runs')
    .argument('<session>', ofTask)
    .argument('[prompt...]', 'what to do; what is piped in is added to it')
    .option('--steer', 'the running turn sees it before its next step')
    .option('--interrupt', 'the running turn is cancelled, and this runs in its place')
    .option('--reject', 'do not wait: refuse it if a turn is running')
    .option('--no-wait', 'leave it there, and do not show what comes of it')
    .option('--session-tokens <n>', 'from now on, the most tokens of the session in all')
    .option('--session-usd <dollars>', 'from now on, the most dollars of the session in all')
    .addOption(formatOption())
    .action(async (session: string, words: string[], flags: SendFlags) => {
      const { sendInput } = await import('./send.ts');
      done(await sendInput(session, words, flags));
    });
}

function watchCommand(done: Done): Command {
  return new Command('watch')
    .description('watch a session that another terminal runs, and be asked what it asks')
    .argument('<session>', named)
    .option('--after <seq>', 'from after this event on (default: the beginning of the turn)')
    .option('--take-over', 'go on here if the process that runs it is killed')
    .addOption(formatOption())
    .action(async (session: string, flags: WatchFlags) => {
      const { watchSession } = await import('./watch.ts');
      done(await watchSession(session, flags));
    });
}

function signalCommands(done: Done): Command[] {
  const pause = new Command('pause')
    .description('pause a session at its next safe point')
    .argument('<session>', ofTask)
    .action(async (session: string) => {
      const { pauseSession } = await import('./signals.ts');
      done(await pauseSession(session));
    });
  const resume = new Command('resume')
    .description('go on with a paused session')
    .argument('<session>', ofTask)
    .action(async (session: string) => {
      const { resumeSession } = await import('./signals.ts');
      done(await resumeSession(session));
    });
  const cancel = new Command('cancel')
    .description('cancel the running turn of a session; what is queued waits')
    .argument('<session>', ofTask)
    .option('--reason <text>', 'why')
    .action(async (session: string, flags: { reason?: string }) => {
      const { cancelTurn } = await import('./signals.ts');
      done(await cancelTurn(session, flags));
    });
  const compact = new Command('compact')
    .description('summarise the history of a session now')
    .argument('<session>', named)
    .argument('[focus...]', 'what the summary should dwell on')
    .action(async (session: string, focus: string[]) => {
      const { compactSession } = await import('./compact.ts');
      done(await compactSession(session, focus));
    });
  return [pause, resume, cancel, compact];
}

function answerCommands(done: Done): Command[] {
  const which = 'the call, where several wait for an answer';
  const approve = new Command('approve')
    .description('allow a call that waits for an answer, also of a task')
    .argument('<session>', ofTask)
    .argument('[call]', which)
    .option('--reason <text>', 'for the record')
    .option('--input <json>', 'with these arguments instead')
    .option('--allow <rule>', 'and this rule for the rest of the session; may be repeated', collect)
    .action(async (session: string, call: string | undefined, flags: ApproveFlags) => {
      const { approveCall } = await import('./answer.ts');
      done(await approveCall(session, call, flags));
    });
  const deny = new Command('deny')
    .description('deny a call that waits for an answer, also of a task')
    .argument('<session>', ofTask)
    .argument('[call]', which)
    .option('--reason <text>', 'why, for the model')
    .action(async (session: string, call: string | undefined, flags: { reason?: string }) => {
      const { denyCall } = await import('./answer.ts');
      done(await denyCall(session, call, flags));
    });
  const answer = new Command('answer')
    .description('answer what an agent asks: an option or words for each question')
    .argument('<session>', ofTask)
    .argument('[answers...]', 'an option by its name or number (several with commas), or words of your own')
    .option('--call <call>', which)
    .option('--decline', 'give no answer')
    .option('--reason <text>', 'with --decline: why, for the model')
    .action(async (session: string, words: string[], flags: AnswerFlags) => {
      const { answerCall } = await import('./answer.ts');
      done(await answerCall(session, words, flags));
    });
  return [approve, deny, answer];
}
