/**
 * What do we know now? The fold of the log. Each aspect records what an event means for its own slice of the state and may
 * read the other slices: aspects earlier in the list have recorded the event already, later ones have not.
 */
import type { DurableEvent } from '@pawl/protocol';
import { evolveAnswer } from './answer/evolve.ts';
import { evolveAssignment } from './assignment/evolve.ts';
import { evolveCalls } from './calls/evolve.ts';
import { evolveCompaction } from './compaction/evolve.ts';
import { evolveFiles } from './files/evolve.ts';
import { evolveFlows } from './flows/evolve.ts';
import { evolveHistory } from './history/evolve.ts';
import { evolveInputs } from './inputs/evolve.ts';
import { evolveLog } from './log/evolve.ts';
import { evolveMail } from './mail/evolve.ts';
import { completeOldEvent } from './old-logs.ts';
import { evolvePins } from './pins/evolve.ts';
import { evolveResult } from './result/evolve.ts';
import { evolveSession } from './session/evolve.ts';
import { evolveSpending } from './spending/evolve.ts';
import type { State } from './state.ts';
import { evolveSurroundings } from './surroundings/evolve.ts';
import { evolveTarget } from './target/evolve.ts';
import { evolveTasks } from './tasks/evolve.ts';
import { evolveTurn } from './turn/evolve.ts';
import { evolveWork } from './work/evolve.ts';

/** In the order in which they record an event. */
export const aspects = {
  log: evolveLog,
  pins: evolvePins,
  mail: evolveMail,
  tasks: evolveTasks,
  flows: evolveFlows,
  assignment: evolveAssignment,
  files: evolveFiles,
  calls: evolveCalls,
  target: evolveTarget,
  result: evolveResult,
  answer: evolveAnswer,
  compaction: evolveCompaction,
  history: evolveHistory,
  surroundings: evolveSurroundings,
  work: evolveWork,
  spending: evolveSpending,
  inputs: evolveInputs,
  turn: evolveTurn,
  session: evolveSession,
};

const recorders = Object.values(aspects);

/** Applies one event to `state`, in place, and returns it. Every event of a log comes through here, whoever wrote it. */
export function evolve(state: State, event: DurableEvent): State {
  const complete = completeOldEvent(state, event);
  for (const record of recorders) record(state, complete);
  return state;
}
