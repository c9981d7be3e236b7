import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import type { OutputFormat } from '../run/flags.ts';
import { findSession } from '../sessions/find.ts';
import { withLog } from '../sessions/open.ts';
import { isAtTerminal } from '../terminal/is-at-terminal.ts';
import { usageError } from '../usage-error.ts';
import { type Followed, follow, turnBegin } from './follow.ts';
import { readerOf } from './guest.ts';
import { isGone, ownerOf } from './owner.ts';

export type WatchFlags = { outputFormat: OutputFormat; after?: string; takeOver?: true };

/**
 * `pawl watch <session>`: what another process does with a session, from the beginning of its turn to the end of its
 * driving. @throws `no_session`, `session_locked`.
 */
export async function watchSession(named: string, flags: WatchFlags): Promise<ExitCode> {
  if (isConversation(flags)) {
    const driven = await withLog(async (log) => {
      const { session } = await findSession(log, named);
      return (await log.owner?.(session)) == null ? null : session;
    });
    if (driven !== null) {
      const { converseAtTerminal } = await import('../terminal/open.ts');
      return converseAtTerminal([], { resume: driven, outputFormat: 'text', inputFormat: 'text' });
    }
  }
  const { session, followed } = await withLog(async (log) => {
    const { session } = await findSession(log, named);
    const owner = await ownerOf(log, session);
    if (owner === null) return { session, followed: null };
    try {
      const fromSeq =
        flags.after === undefined
          ? turnBegin(await log.read(session), await readerOf(log).view(session))
          : parseAfter(flags.after);
      return {
        session,
        followed: await follow({ log, owner, session, fromSeq, format: flags.outputFormat, begin: untilItEnds }),
      };
    } catch (error) {
      // It ended while it was asked.
      if (isGone(error)) return { session, followed: null };
      throw error;
    } finally {
      owner.close();
    }
  });
  return followed === null ? nobodyDrives(session, flags) : endOf(session, followed, flags);
}

/** At a terminal a session is watched as a conversation, unless the flags ask for something else. */
const isConversation = ({ outputFormat, after, takeOver }: WatchFlags) =>
  outputFormat === 'text' && after === undefined && takeOver === undefined && isAtTerminal();

const untilItEnds = async () => ({ input: null, isOver: () => false });

async function nobodyDrives(session: string, flags: WatchFlags): Promise<ExitCode> {
  const view = await withLog((log) => readerOf(log).view(session));
  if (view.turn !== null) return endOf(session, { exitCode: exitCodes.later, end: 'gone' }, flags);
  printNotice(
    `Nobody drives session ${session}. Go on with it: pawl send ${session} "what to do"; look at it: pawl sessions show ${session}`,
  );
  return view.lastTurn === null ? exitCodes.completed : exitCodeOf(view.lastTurn, null);
}

/** A turn whose driver is gone can be gone on with by whoever watches it. */
async function endOf(session: string, { exitCode, end }: Followed, flags: WatchFlags): Promise<ExitCode> {
  if (end === 'over') return exitCode;
  if (flags.takeOver === true) {
    printNotice(`The process that drove session ${session} is gone. Going on with it here.`);
    const { runPrompt } = await import('../run/run.ts');
    return runPrompt(null, { resume: session, outputFormat: flags.outputFormat });
  }
  printNotice(
    `The process that drove session ${session} is gone, and its turn is not over. Go on with it: pawl run --resume ${session}`,
  );
  return exitCode;
}

function parseAfter(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw usageError(`--after: "${text}" is not the number of an event.`);
}
