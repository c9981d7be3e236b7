import { type FileChanges, fileChangesOf, undoStackOf } from '@pawl/engine/readers';
import { PawlError } from '@pawl/protocol';
import type { Reversal } from '@pawl/tools/undo';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { usageError } from '../usage-error.ts';
import { parseCount } from '../values.ts';
import { type ParentFolder, reportToSession, withRestingSession } from './resting-session.ts';
import { perform, planFor, type ReverseFlags, report, reportJson } from './reverse.ts';

export type UndoFlags = ReverseFlags & { turn?: string };

export type Direction = 'undo' | 'redo';
type Chosen = { turn: number; changes: FileChanges; reversal: Reversal };

/** `pawl undo` and `pawl redo`: of the last turn that is not undone, or of the first that is. @throws `not_undoable`. */
export async function undo(named: string | undefined, direction: Direction, flags: UndoFlags): Promise<ExitCode> {
  const { session, chosen, isChanged } = await withRestingSession(named, async (ground) => {
    const found = await chooseTurn(ground, direction, flags);
    return { session: ground.summary.session, chosen: found, isChanged: await perform(found.reversal, flags) };
  });
  const { turn, changes, reversal } = chosen;
  if (isChanged) {
    await reportToSession(session, sentenceFor(direction, turn, reversal), { direction, files: reversal.digests });
  }
  if (flags.json === true) process.stdout.write(reportJson(reversal, changes));
  const done = direction === 'undo' ? 'Undid' : 'Did again';
  const head = flags.dryRun === true ? `To ${direction}` : isChanged ? done : `Nothing to ${direction} in`;
  const other = direction === 'undo' ? 'redo' : 'undo';
  const hint = isChanged ? `Take that back with: pawl ${other} ${session} --turn ${turn}\n` : '';
  process.stderr.write(`${head} turn ${turn} of session ${session}:\n${report(reversal, changes, flags)}${hint}`);
  return exitCodes.completed;
}

/** What the model is told of it. */
export function sentenceFor(direction: Direction, turn: number, { steps }: Reversal): string {
  const deed = direction === 'undo' ? 'took back' : 'restored';
  return `The user ${deed} the file changes of turn ${turn}: ${pathsText(steps)}. Read a file again before you rely on it.`;
}

const maxNamed = 20;

export function pathsText(steps: Reversal['steps']): string {
  const named = steps.slice(0, maxNamed).map(({ shown }) => shown);
  return named.join(', ') + (steps.length > maxNamed ? ` and ${steps.length - maxNamed} more` : '');
}

/** The turn that is undone or done again next. @throws `nothing_to_undo`, `usage`. */
export async function chooseTurn(ground: ParentFolder, direction: Direction, flags: UndoFlags): Promise<Chosen> {
  const { events, tasks, summary } = ground;
  if (flags.turn !== undefined) {
    const turn = parseCount('--turn', flags.turn);
    const last = events.findLast(({ type }) => type === 'turn.started');
    const lastTurn = last?.type === 'turn.started' ? last.data.turn : 0;
    if (turn > lastTurn) {
      const sentence = lastTurn === 0 ? 'has had no turn yet' : `has had ${lastTurn} turns`;
      throw usageError(`--turn: there is no turn ${turn}: session ${summary.session} ${sentence}.`);
    }
    const changes = fileChangesOf(events, { turn, tasks });
    if (changes.changes.length === 0)
      throw nothing(`Turn ${turn} of session ${summary.session} changed no files`, changes);
    return { turn, changes, reversal: await planFor(ground, changes, direction, flags) };
  }
  const { standing, undone } = undoStackOf(events, tasks);
  const planOf = async (turn: number): Promise<Chosen> => {
    const changes = fileChangesOf(events, { turn, tasks });
    return { turn, changes, reversal: await planFor(ground, changes, direction, flags) };
  };
  const again = undone.at(-1);
  if (direction === 'redo' && again !== undefined) return planOf(again);
  // What was undone without the log being told, because that was interrupted, shows in the files.
  let untold: number | null = null;
  for (const turn of standing.reverse()) {
    const changes = fileChangesOf(events, { turn, tasks });
    const reversal = await planFor(ground, changes, 'undo', flags);
    const mayBeLeft = reversal.blocked.length === 0 || (direction === 'undo' && flags.skipChanged === true);
    const isUndone = reversal.steps.length === 0 && mayBeLeft;
    if (!isUndone && direction === 'undo') return { turn, changes, reversal };
    if (!isUndone) break;
    if (flags.dryRun !== true) await reversal.tidy();
    untold = turn;
  }
  if (direction === 'redo' && untold !== null) return planOf(untold);
  const all = fileChangesOf(events, { tasks });
  const what = direction === 'undo' ? 'no file change that is not undone' : 'no undone file change';
  throw nothing(`Session ${summary.session} has ${what}`, all);
}

function nothing(sentence: string, { blindCalls }: FileChanges): PawlError {
  const blind =
    blindCalls.length === 0 ? '' : ` What its ${blindCalls.length} commands and other calls did is not known.`;
  return new PawlError('nothing_to_undo', `${sentence}.${blind}`);
}
