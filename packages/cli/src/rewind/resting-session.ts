/** A session at rest, to be rewound: nobody drives it, and no turn of it is open. */

import type { SessionSummary, Storage } from '@pawl/engine';
import { createHost } from '@pawl/engine';
import { type TaskLogs, tasksIn } from '@pawl/engine/readers';
import type { DurableEvent } from '@pawl/protocol';
import { isPawlError, messageOf, PawlError } from '@pawl/protocol';
import type { Reversal } from '@pawl/tools/undo';
import { printNotice } from '../output/notice.ts';
import { findSession, newestSession } from '../sessions/find.ts';
import { noModel } from '../sessions/no-model.ts';
import { withLog } from '../sessions/open.ts';
import { parseFolder } from '../values.ts';

/** `tasks` are the logs of all tasks below the session. */
export type ParentFolder = { log: Storage; summary: SessionSummary; events: readonly DurableEvent[]; tasks: TaskLogs };

/**
 * Does something while no driver of the session or of one of its tasks can come between. `named` as for other commands,
 * or the newest session of this folder.
 * @throws `session_locked`, `turn_open`, `no_session`.
 */
export async function withRestingSession<Value>(
  named: string | undefined,
  work: (ground: ParentFolder) => Promise<Value>,
): Promise<Value> {
  return withLog(async (log) => {
    const summary =
      named === undefined ? await newestSession(log, parseFolder('this folder', '.')) : await findSession(log, named);
    const claims: { release(): Promise<void> }[] = [];
    const readAtRest = async (session: string) => {
      claims.push(await log.claim(session));
      const events = await log.read(session);
      refuseOpenTurn(events, session, summary.session);
      return events;
    };
    try {
      const events = await readAtRest(summary.session);
      const tasks = new Map<string, readonly DurableEvent[]>();
      const open = tasksIn(events);
      for (let session = open.pop(); session !== undefined; session = open.pop()) {
        if (tasks.has(session)) continue;
        const below = await readAtRest(session);
        tasks.set(session, below);
        open.push(...tasksIn(below));
      }
      return await work({ log, summary, events, tasks });
    } finally {
      for (const claim of claims.reverse()) await claim.release();
    }
  });
}

/** `owner` is the session that is gone on with, and its tasks with it. */
function refuseOpenTurn(events: readonly DurableEvent[], session: string, owner: string): void {
  const last = events.findLast(({ type }) => type === 'turn.started' || type === 'turn.ended');
  if (last?.type !== 'turn.started') return;
  throw new PawlError(
    'turn_open',
    `The last turn of session ${session} was interrupted, and may still change files. Go on with it first: pawl run --resume ${owner}`,
  );
}

/**
 * Puts what became of the files into the session's log, with a sentence for the model to see with the next input. Only
 * after the claim was released. A warning, not an error: what was done is done.
 */
export async function reportToSession(
  session: string,
  text: string,
  reverted: { direction: 'undo' | 'redo'; files: Reversal['digests'] },
): Promise<void> {
  await withLog(async (log) => {
    const host = createHost({ log, model: noModel });
    try {
      const opened = await host.open(session);
      await opened.command('files.report', { ...reverted, content: [{ type: 'text', text }] });
    } catch (error) {
      if (!isPawlError(error)) throw error;
      printNotice(`The session could not be told of it: ${messageOf(error)}`);
    } finally {
      await host.close();
    }
  });
}
