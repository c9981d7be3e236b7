/** `/undo` and `/redo`: as `pawl undo`, for the session that this process itself drives. */
import type { Host, Storage } from '@pawl/engine';
import { tasksIn } from '@pawl/engine/readers';
import type { DurableEvent } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { ParentFolder } from '../rewind/resting-session.ts';
import { refuseBlocked, report } from '../rewind/reverse.ts';
import { chooseTurn, type Direction, sentenceFor } from '../rewind/undo.ts';
import { findSession } from '../sessions/find.ts';

/** What could not be done, or is not known; the session itself says what was done. @throws `turn_open`, `nothing_to_undo`, `not_undoable`. */
export async function revert(host: Host, log: Storage, session: string, direction: Direction): Promise<string> {
  const opened = await host.open(session);
  const { turn, tasks } = await opened.view();
  if (turn !== null || tasks.some(({ status }) => status === 'running')) {
    throw new PawlError('turn_open', 'The turn still runs, and may change files. Cancel it with Esc, or wait for it.');
  }
  const ground = await groundOf(log, session);
  const chosen = await chooseTurn(ground, direction, {});
  const { reversal, changes } = chosen;
  refuseBlocked(reversal, {});
  const rest = await reversal.apply();
  if (reversal.steps.length > 0) {
    const text = sentenceFor(direction, chosen.turn, reversal);
    await opened.command('files.report', { direction, files: reversal.digests, content: [{ type: 'text', text }] });
  }
  return [...rest, report({ ...reversal, steps: [] }, changes, {}).trimEnd()].filter((line) => line !== '').join('\n');
}

async function groundOf(log: Storage, session: string): Promise<ParentFolder> {
  const events = await log.read(session);
  const tasks = new Map<string, readonly DurableEvent[]>();
  const open = tasksIn(events);
  for (let task = open.pop(); task !== undefined; task = open.pop()) {
    if (tasks.has(task)) continue;
    const below = await log.read(task);
    tasks.set(task, below);
    open.push(...tasksIn(below));
  }
  return { log, summary: await findSession(log, session), events, tasks };
}
