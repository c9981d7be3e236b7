/** `pawl pause`, `resume` and `cancel`: signals to a session, whoever drives it. */

import { isPawlError } from '@pawl/protocol';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { findSession } from '../sessions/find.ts';
import { withLog } from '../sessions/open.ts';
import { type CommandRequest, type DeliveryReceipt, deliver } from './deliver.ts';
import { readerOf } from './guest.ts';

/** Before its next step; where nobody drives the session, from the next time that it is gone on with. */
export async function pauseSession(named: string): Promise<ExitCode> {
  const { session } = await deliverTo(named, (session) => ({ session, type: 'session.pause', data: {} }));
  printNotice(`Session ${session} pauses at its next safe point. Go on with it: pawl resume ${session}`);
  return exitCodes.completed;
}

/** A session that nobody drives is gone on with here. */
export async function resumeSession(named: string): Promise<ExitCode> {
  const { session, delivered } = await withLog(async (log) => {
    const { session } = await findSession(log, named);
    try {
      return { session, delivered: await deliver(log, { session, type: 'session.resume', data: {} }) };
    } catch (error) {
      // One that was cut off is not paused, and waits for somebody to go on with it all the same.
      if (isPawlError(error, 'not_paused') && (await log.owner?.(session)) === null)
        return { session, delivered: null };
      throw error;
    }
  });
  if (delivered?.isDriven === true) {
    printNotice(`Session ${session} goes on. Watch it: pawl watch ${session}`);
    return exitCodes.completed;
  }
  const { runPrompt } = await import('../run/run.ts');
  return runPrompt(null, { resume: session, outputFormat: 'text' });
}

/** Ends the turn. Where nobody drives the session, what the turn has open is closed here. */
export async function cancelTurn(named: string, { reason }: { reason?: string }): Promise<ExitCode> {
  const data = { ...(reason !== undefined && { reason }), queue: 'wait' as const };
  const { session, isDriven } = await deliverTo(named, (session) => ({ session, type: 'turn.cancel', data }));
  const isOpen = await withLog(async (log) => (await readerOf(log).view(session)).turn !== null);
  if (!isDriven && isOpen) {
    const { runPrompt } = await import('../run/run.ts');
    await runPrompt(null, { resume: session, outputFormat: 'text' });
  }
  printNotice(
    isDriven ? `The turn of session ${session} is being cancelled.` : `The turn of session ${session} is cancelled.`,
  );
  return exitCodes.completed;
}

async function deliverTo(
  named: string,
  errand: (session: string) => CommandRequest,
): Promise<DeliveryReceipt & { session: string }> {
  return withLog(async (log) => {
    const { session } = await findSession(log, named);
    return { session, ...(await deliver(log, errand(session))) };
  });
}
