/** Which effects are owed to the outside world? Their ids follow from the log, so an effect has the same id after a crash, on any machine. */
import { owedToAnswer } from './answer/due.ts';
import { owedToCalls } from './calls/due.ts';
import { owedToCompaction } from './compaction/due.ts';
import type { Effect } from './effect.ts';
import { owedToMail } from './mail/due.ts';
import type { State } from './state.ts';
import { owedToSurroundings } from './surroundings/due.ts';
import { owedToTarget } from './target/due.ts';
import { owedToTasks } from './tasks/due.ts';
import { owedToTurn } from './turn/due.ts';

export function due(state: State): Effect[] {
  const { turn } = state;
  const always = [...owedToTasks(state), ...owedToMail(state), ...owedToCompaction(state)];
  if (turn === null) return always;
  return [
    ...always,
    ...owedToAnswer(turn),
    ...owedToSurroundings(state, turn),
    ...owedToCalls(turn),
    ...owedToTarget(turn),
    ...owedToTurn(state, turn),
  ];
}
