/** Follows a session from its beginning here to its end, with everything that a terminal adds. */

import { followTree, hasOpenTasks } from '@pawl/client/tree';
import type { Client, DurableEvent, Identity, SessionClient } from '@pawl/protocol';
import { isPawlError } from '@pawl/protocol';
import type { Prompter } from '../approvals/prompter.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import type { Shown } from '../output/detail.ts';
import { openReporter } from '../output/open.ts';
import type { Screen } from '../output/screen.ts';
import { createScreen } from '../output/screen.ts';
import { openOutput } from '../output/stdout.ts';
import type { Begin } from './begin.ts';
import type { OutputFormat } from './flags.ts';
import type { Interrupts } from './interrupt.ts';
import { listenForInterrupts } from './interrupt.ts';
import { createOwnTurns } from './own-turns.ts';

export type Drive = {
  /** Where the sessions of its tasks are. */
  host: Client;
  session: SessionClient;
  /** The last event before this run. */
  fromSeq: number;
  begin: Begin;
  format: OutputFormat;
  detail: Shown;
  /** Whether somebody sits here who can be asked. */
  isAttended: boolean;
  /** Another process drives the session: Ctrl-C leaves it, and does not stop it. */
  isGuest?: boolean;
  /** Who sits at the terminal. */
  identity: Identity;
  /** Called when the model has answered for the first time in this run. */
  onFirstAnswer(): void;
  /** Called when a rule was written into the settings, so that it holds in this run too. */
  onRuleKept(layer: 'user' | 'project', rule: string): void;
};

/** @throws `session_lost` when another process took the session over; the refusal of what the run begins with. */
export async function drive({
  host,
  session,
  fromSeq,
  begin,
  format,
  detail,
  isAttended,
  isGuest = false,
  identity,
  onFirstAnswer,
  onRuleKept,
}: Drive): Promise<ExitCode> {
  // Until the turn has ended something is owed, though for a while there may be only a timer to wait for.
  const alive = setInterval(() => undefined, 2 ** 30);
  const watching = new AbortController();
  const screen = createScreen(process);
  const leave = (reason: string) => (isGuest ? watching.abort() : stop(session, screen, watching, reason));
  const interrupts = listenForInterrupts(leave, screen.close);
  const output = openOutput(process.stdout, () => {
    if (!interrupts.isInterrupted()) interrupts.interrupt('nobody reads the output any more');
  });
  const prompter = isAttended
    ? await openTerminalPrompter({ session, identity, onRuleKept }, screen, interrupts)
    : null;
  try {
    let hasAnswered = false;
    let isDone = false;
    const before = await session.view();
    const live = session.events({ seq: fromSeq }, watching.signal);
    const first = live.next();
    // Whoever reads the events sees it.
    first.catch(() => undefined);
    // What is only broadcast, such as a notice, passes by whoever has not caught up with the log when it comes.
    if (before.seq > fromSeq) await first;
    const events = continued(first, live);
    const { input, isOver } = await begin(session);
    const turns = createOwnTurns(input);
    // Loaded while the request is on its way.
    const reporter = await openReporter(format, screen, output, detail);
    prompter?.add(await session.view());
    const tree = await followTree(host, before, {
      async onEvent(event, name) {
        turns.taskEvent(event, name);
        await reporter.task?.(event, name);
        if (prompter === null && isRequest(event) && format === 'text') printAnswerCommand(event, screen);
        if (prompter !== null && isRequest(event))
          prompter.event(event, { name, session: await host.open(event.session) });
      },
      async onOpenTask(view, name) {
        const isAsking = view.approvals.length + view.questions.length > 0;
        if (prompter !== null && isAsking) prompter.add(view, { name, session: await host.open(view.session) });
      },
    });
    watching.signal.addEventListener('abort', tree.close, { once: true });
    for await (const event of events) {
      if ('seq' in event) {
        await tree.event(event);
        turns.event(event);
        if (event.type === 'message.added' && event.data.message.role === 'assistant' && !hasAnswered) {
          hasAnswered = true;
          onFirstAnswer();
        }
      }
      await reporter.event(event);
      if (!('seq' in event)) continue;
      prompter?.event(event);
      if (prompter === null && isRequest(event) && format === 'text') printAnswerCommand(event, screen);
      // After an interruption the queue waits, so the end of a turn is the end.
      isDone = (await isOver(event)) || isDone;
      if (interrupts.isInterrupted() && event.type === 'turn.ended') break;
      if (isDone && isGuest && turns.isOthers()) break;
      if (isDone && (await isQuiet(session, event))) break;
    }
    tree.close();
    const view = await session.view();
    const tally = turns.tally();
    const turn = tally.turn ?? (tally.hasCaughtUp || isGuest ? view.lastTurn : null);
    if (output.isClosed()) return exitCodes.unread;
    const isCut = turn === null || interrupts.isInterrupted();
    const exitCode = isCut ? exitCodes.cancelled : exitCodeOf(turn, tally.failure?.code ?? null);
    await reporter.finish({ tally, view, exitCode });
    return exitCode;
  } finally {
    prompter?.close();
    screen.close();
    interrupts.close();
    clearInterval(alive);
    await output.flush();
  }
}

/** The same events, the first of which was asked for already. */
async function* continued<Event>(first: Promise<IteratorResult<Event>>, events: AsyncIterableIterator<Event>) {
  try {
    for (let next = await first; next.done !== true; next = await events.next()) yield next.value;
  } finally {
    await events.return?.();
  }
}

/** Tasks that the turn did not wait for are waited for before the process ends, and mail until it is delivered. */
export async function isQuiet(session: SessionClient, { seq }: Pick<DurableEvent, 'seq'>): Promise<boolean> {
  const view = await session.view();
  // The session may be further than what was shown of it.
  return seq >= view.seq && view.turn === null && !hasOpenTasks(view) && view.mailUnderWay === 0;
}

/** Nobody here can answer; somebody at another terminal can. */
function printAnswerCommand({ type, session, data }: DurableEvent, screen: Screen): void {
  if (type === 'approval.requested') {
    screen.line(screen.style.yellow(`? waits for an answer: pawl approve ${session} ${data.call}, or pawl deny`));
  }
  if (type === 'question.asked') {
    screen.line(screen.style.yellow(`? waits for an answer: pawl answer ${session} ${data.call}`));
  }
}

const isRequest = ({ type }: DurableEvent) => /^(?:approval|question)\./.test(type);

/** Cancels the turn and keeps what is queued. Where no turn runs, there is nothing more to wait for. */
function stop(session: SessionClient, screen: Screen, watching: AbortController, reason: string): void {
  screen.status(`stopping (${reason}); once more to leave at once`);
  session.command('turn.cancel', { reason, queue: 'wait' }).catch((error: unknown) => {
    if (!isPawlError(error, 'already_cancelled')) watching.abort();
  });
}

async function openTerminalPrompter(
  { session, identity, onRuleKept }: Pick<Drive, 'session' | 'identity' | 'onRuleKept'>,
  screen: Screen,
  interrupts: Interrupts,
): Promise<Prompter> {
  const { openPrompter } = await import('../approvals/prompter.ts');
  const { openKeyboard } = await import('../approvals/person.ts');
  const { stderr, env } = process;
  const canRedraw = env.TERM !== 'dumb';
  return openPrompter({
    session,
    identity,
    screen,
    terminal: { stdin: openKeyboard(), output: stderr, canRedraw },
    onInterrupt: () => interrupts.interrupt('Ctrl-C'),
    async keepRule(scope, rule) {
      const { keepRule } = await import('../approvals/keep-rule.ts');
      await keepRule(scope, rule, (await session.view()).cwd);
      onRuleKept(scope, rule);
    },
  });
}
