/** What a run begins with: an input, or what is owed. */

import { hasOpenTasks } from '@pawl/client/tree';
import { createId } from '@pawl/engine';
import type { FilePart, SessionClient, SessionView, TurnOptions } from '@pawl/protocol';
import { type Begun, untilAnswered, untilNothingIsOwed } from './watch.ts';

/** Sets a session going, and says when it is over. */
export type Begin = (session: SessionClient) => Promise<Begun>;

/** Sends a prompt, after its files: models do best in that order. What a session owes from before comes first. */
export function sendPrompt(
  prompt: string,
  { files, turn }: { files: readonly FilePart[]; turn: TurnOptions },
  before: SessionView | null,
): Begin {
  return async (session) => {
    const id = createId();
    const begun = untilAnswered(id);
    if (before?.status === 'paused') await session.command('session.resume', {});
    await session.command('input.send', { content: [...files, { type: 'text', text: prompt }], ...turn }, id);
    return begun;
  };
}

/** How to go on without a prompt; `nothing` is owed where the last turn completed or there was none. */
export type Resumption = { kind: 'owed' | 'held' | 'cut' } | { kind: 'nothing'; hasTurns: boolean };

export function resumptionOf(view: SessionView): Resumption {
  if (view.status === 'paused') return { kind: 'held' };
  if (view.turn !== null) return { kind: 'owed' };
  if (view.queue.length > 0) return { kind: 'held' };
  // Tasks and mail of a turn that was cut are waited for after it.
  if (view.lastTurn !== null && view.lastTurn.outcome !== 'completed') return { kind: 'cut' };
  if (hasOpenTasks(view) || view.mailUnderWay > 0 || view.context.isCompacting) return { kind: 'owed' };
  return { kind: 'nothing', hasTurns: view.lastTurn !== null };
}

/** Goes on with what is owed, held back, or cut off by a limit, a failure or a cancel. */
export function goOn(kind: 'owed' | 'held' | 'cut'): Begin {
  return async (session) => {
    if (kind === 'held') await session.command('session.resume', {});
    if (kind === 'cut') await session.command('turn.continue', {});
    return untilNothingIsOwed(session);
  };
}
