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
  /** Steps begun so far. */
  step: number;
  /** `between` steps, waiting for the `model`, for `tools`, for room (`compacting`), or for a person's `review`. */
  phase: 'between' | 'model' | 'tools' | 'compacting' | 'review';
  /** What the agent of this step may: a switch takes effect at the next. */
  profile: AgentProfile | null;
  /** `inputs` are those that `queue` is about: what was queued when the cancel came. */
  cancel: {
    by: Actor;
    reason: string | null;
    queue: QueueDisposition;
    inputs: readonly string[];
    /** A limit of the owner's time is what stops it. */
    isOutOfTime: boolean;
  } | null;
  isOverTime: boolean;
  /** How the turn ends once nothing of it is open. */
  ending: { outcome: TurnOutcome; message: string; result?: Json } | null;
  review: boolean;
  /** What it was started with. */
  options: TurnOptions;
  /** It was begun in the session that this one was forked from. */
  isForked: boolean;
  unattendedDenials: number;
};

/** The turn that runs: each aspect has its part of it. */
export type Turn = TurnItself & TurnAnswer & TurnCalls & TurnTarget & TurnResultState & TurnSpending;

export type TurnState = {
  /** How many were begun. */
  turns: number;
  turn: Turn | null;
  lastTurn: EventData['turn.ended'] | null;
  /** What the last turn was started with. */
  lastOptions: TurnOptions;
};

export const initialTurn = (): TurnState => ({ turns: 0, turn: null, lastTurn: null, lastOptions: {} });
