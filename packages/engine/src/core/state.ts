/** What we know of a session: the fold of its log. Plain data, one slice for each aspect; only the aspect's own `evolve` changes it. */
import type { AssignmentState } from './assignment/state.ts';
import { initialAssignment } from './assignment/state.ts';
import type { CompactionState } from './compaction/state.ts';
import { initialCompaction } from './compaction/state.ts';
import type { FilesState } from './files/state.ts';
import { initialFiles } from './files/state.ts';
import type { FlowsState } from './flows/state.ts';
import { initialFlows } from './flows/state.ts';
import type { HistoryState } from './history/state.ts';
import { initialHistory } from './history/state.ts';
import type { InputsState } from './inputs/state.ts';
import { initialInputs } from './inputs/state.ts';
import type { LogState } from './log/state.ts';
import { initialLog } from './log/state.ts';
import type { MailState } from './mail/state.ts';
import { initialMail } from './mail/state.ts';
import type { PinsState } from './pins/state.ts';
import { initialPins } from './pins/state.ts';
import type { SessionState } from './session/state.ts';
import { initialSession } from './session/state.ts';
import type { SpendingState } from './spending/state.ts';
import { nothingSpent } from './spending/state.ts';
import type { SurroundingsState } from './surroundings/state.ts';
import { initialSurroundings } from './surroundings/state.ts';
import type { TasksState } from './tasks/state.ts';
import { initialTasks } from './tasks/state.ts';
import type { TurnState } from './turn/state.ts';
import { initialTurn } from './turn/state.ts';
import type { WorkState } from './work/state.ts';
import { initialWork } from './work/state.ts';

export type { Call } from './calls/state.ts';
export type { HistoryMessage } from './history/state.ts';
export type { QueuedInput } from './inputs/state.ts';
export type { Settings } from './session/state.ts';
export type { Turn } from './turn/state.ts';

export type State = LogState &
  SessionState &
  InputsState &
  TurnState &
  HistoryState &
  CompactionState &
  PinsState &
  FilesState &
  WorkState &
  SurroundingsState &
  SpendingState &
  TasksState &
  AssignmentState &
  FlowsState &
  MailState;

/** The state before the first event. */
export function initialState(): State {
  return {
    ...initialLog(),
    ...initialSession(),
    ...initialInputs(),
    ...initialTurn(),
    ...initialHistory(),
    ...initialCompaction(),
    ...initialPins(),
    ...initialFiles(),
    ...initialWork(),
    ...initialSurroundings(),
    ...nothingSpent(),
    ...initialTasks(),
    ...initialAssignment(),
    ...initialFlows(),
    ...initialMail(),
  };
}
