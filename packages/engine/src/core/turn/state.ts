import type { Actor, AgentProfile, EventData, Json, QueueDisposition, TurnOptions, TurnOutcome } from '@pawl/protocol';
import type { TurnAnswer } from '../answer/state.ts';
import type { TurnCalls } from '../calls/state.ts';
import type { TurnResultState } from '../result/state.ts';
import type { TurnSpending } from '../spending/state.ts';
import type { TurnTarget } from '../target/state.ts';

type TurnItself = {
  number: number;
  by: Actor;
  startedAt: number;
  /** Steps started so far. */
  step: number;
  /** `between` steps, waiting for the `model`, for `tools`, for room (`compacting`), or for a person's `review`. */
  phase: 'between' | 'model' | 'tools' | 'compacting' | 'review';
  /** The profile of the step's agent; a switch takes effect at the next step. */
  profile: AgentProfile | null;
  /** `inputs` were queued when the cancel came; `queue` says what happens to them. */
  cancel: {
    by: Actor;
    reason: string | null;
    queue: QueueDisposition;
    inputs: readonly string[];
    /** A limit of its owner's time stops it. */
    isOutOfTime: boolean;
  } | null;
  isOverTime: boolean;
  /** How the turn ends once nothing of it is open any more. */
  ending: { outcome: TurnOutcome; message: string; result?: Json } | null;
  review: boolean;
  /** The options that it was started with. */
  options: TurnOptions;
  /** It started in the session that this one was forked from. */
  isForked: boolean;
  unattendedDenials: number;
};

/** The current turn; each aspect has its part of it. */
export type Turn = TurnItself & TurnAnswer & TurnCalls & TurnTarget & TurnResultState & TurnSpending;

export type TurnState = {
  /** How many turns have started. */
  turns: number;
  turn: Turn | null;
  lastTurn: EventData['turn.ended'] | null;
  /** The options of the last turn. */
  lastOptions: TurnOptions;
};

export const initialTurn = (): TurnState => ({ turns: 0, turn: null, lastTurn: null, lastOptions: {} });
