import type { TurnOutcome } from '@pawl/protocol';

/** After an answer that was cut: go on with the text; send one smaller call; come to the answer sooner. */
type Advice = { kind: 'continue' } | { kind: 'smaller_call'; tool: string } | { kind: 'answer' };

/** The state of the current step's call of the model. */
export type TurnAnswer = {
  /** Which call of the model this step is at, from 1. */
  attempt: number;
  /** The step's model has answered with nothing once. */
  hasBeenEmpty: boolean;
  /** A hint in the next request only; the history never holds it. */
  advice: Advice | null;
  /** Answers in a row that were cut at the output limit, and whether the history was compacted because of that. */
  cuts: number;
  hasCompactedForCut: boolean;
  /** Times in a row that the request was too long for the model. */
  overflows: number;
  /** The compaction that the step needs before it can go on, and how the turn ends if there can be none. */
  neededCompaction: {
    cause: 'overflow' | 'cut';
    ending: { outcome: TurnOutcome; message: string };
    hasFailed: boolean;
  } | null;
  /** The call that `toolChoice` forces has been made. */
  isToolChoiceMet: boolean;
  /** Requests of this step that took too long. */
  timeouts: number;
};

export const noAnswerYet = (): TurnAnswer => ({
  attempt: 1,
  hasBeenEmpty: false,
  advice: null,
  cuts: 0,
  hasCompactedForCut: false,
  overflows: 0,
  neededCompaction: null,
  isToolChoiceMet: false,
  timeouts: 0,
});
