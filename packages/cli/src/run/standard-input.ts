/** A run for a program that embeds it: commands on standard input, events and answers on standard output, a JSON object a line. */

import { readLines, serveClient } from '@pawl/client';
import { actingFor } from '@pawl/client/local';
import { followTree } from '@pawl/client/tree';
import { createId, type Host } from '@pawl/engine';
import type { PawlEvent, SessionClient } from '@pawl/protocol';
import { isPawlError, messageOf, PawlError, protocolVersion } from '@pawl/protocol';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodeOf, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import type { Begin } from './begin.ts';
import { isQuiet } from './drive.ts';
import { listenForInterrupts } from './interrupt.ts';
import { count, createTally } from './tally.ts';

export type StandardInputRun = {
  host: Host;
  session: SessionClient;
  /** The last event before this run. */
  fromSeq: number;
  /** What the command line asks for, before any command. */
  begin: Begin | null;
  /** Whether what is asked waits for other terminals when the program has no more to say. */
  isAwaited: boolean;
  onFirstAnswer(): void;
};

/** Until standard input has ended and nothing is owed. The exit code is that of the last turn. */
export async function serveStandardInput(options: StandardInputRun): Promise<ExitCode> {
  const { host, session, fromSeq } = options;
  const alive = setInterval(() => undefined, 2 ** 30);
  const watching = new AbortController();
  let isCancelled = false;
  const stop = (reason: string) => {
    isCancelled = true;
    process.stdin.destroy();
    session.command('turn.cancel', { reason, queue: 'wait' }).catch((error: unknown) => {
      if (!isPawlError(error, 'already_cancelled')) watching.abort();
    });
  };
  const interrupts = listenForInterrupts(stop, () => undefined);
  const output = openOutput(process.stdout, () => stop('nobody reads the output any more'));
  const send = (line: object) => output.write(`${JSON.stringify(line)}\n`);
  try {
    const tally = createTally();
    let hasAnswered = false;
    let hasEnded = false;
    const before = await session.view();
    await send({ type: 'ready', session: session.id, seq: before.seq, protocolVersion });
    const events = session.events({ seq: fromSeq }, watching.signal);
    const tree = await followTree(host, before, { onEvent: send, onOpenTask: () => Promise.resolve() });
    watching.signal.addEventListener('abort', tree.close, { once: true });

    const finish = async () => {
      hasEnded = true;
      // Nobody is left to answer.
      if (!options.isAwaited) await session.configure({ isAttended: false });
      if (isCancelled || (await isIdle(session))) watching.abort();
    };
    const fail = (error: unknown) => {
      if (!isGone(error)) printNotice(`pawl: ${messageOf(error)}`);
      watching.abort();
    };
    if (options.begin !== null) await options.begin(session);
    obeyCommands(host, session, send).then(finish).catch(fail);

    const onEvent = async (event: PawlEvent) => {
      if ('seq' in event) {
        await tree.event(event);
        count(tally, event);
        if (event.type === 'message.added' && event.data.message.role === 'assistant' && !hasAnswered) {
          hasAnswered = true;
          options.onFirstAnswer();
        }
      }
      await send(event);
    };
    for await (const event of events) {
      await onEvent(event);
      if (!('seq' in event)) continue;
      if (isCancelled && event.type === 'turn.ended') break;
      if (hasEnded && (await isQuiet(session, event))) break;
    }
    tree.close();
    if (isCancelled) return exitCodes.cancelled;
    return tally.turn === null ? exitCodes.completed : exitCodeOf(tally.turn, tally.failure?.code ?? null);
  } finally {
    interrupts.close();
    clearInterval(alive);
    await output.flush();
  }
}

/** Carries out the commands on standard input until it ends. A command needs no id, and one without a session is for the run's own. */
async function obeyCommands(host: Host, session: SessionClient, send: (line: object) => Promise<void>): Promise<void> {
  const lines = async function* () {
    for await (const line of readLines(process.stdin)) {
      const isObject = 'value' in line && typeof line.value === 'object' && line.value !== null;
      yield isObject ? { ...line, value: { id: createId(), session: session.id, ...(line.value as object) } } : line;
    }
  };
  const isOwnOrTask = (asked: string) => asked === session.id || asked.startsWith(`${session.id}.`);
  await serveClient(
    host.client(actingFor()),
    { send, lines, close: () => undefined },
    {
      async mayOpen(asked) {
        if (!isOwnOrTask(asked)) throw new PawlError('not_here', `Session ${asked} is no task of ${session.id}.`);
      },
      mayCreate() {
        throw new PawlError('not_here', 'This run has one session. Start another pawl for another.');
      },
    },
  );
}

async function isIdle(session: SessionClient): Promise<boolean> {
  const view = await session.view();
  return isQuiet(session, { seq: view.seq });
}

const isGone = (error: unknown) => isPawlError(error, 'session_lost') || isPawlError(error, 'session_closed');
