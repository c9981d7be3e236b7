import type { TurnOutcome } from '@pawl/protocol';

/** After an answer that was cut: go on with the text; send one smaller call; come to the answer sooner. */
type Advice = { kind: 'continue' } | { kind: 'smaller_call'; tool: string } | { kind: 'answer' };

/** How the step's call of the model goes. */
export type TurnAnswer = {
  /** Which call of the model this step is at, from 1. */
  attempt: number;
  /** The step's model has answered with nothing once. */
  hasBeenEmpty: boolean;
  /** What the next request says beyond the history, which never keeps it. */
  advice: Advice | null;
  /** Answers in a row that the output limit cut, and whether the history was compacted for their sake. */
  cuts: number;
  hasCompactedForCut: boolean;
  /** Times in a row that the model found the request too long. */
  overflows: number;
  /** Why it cannot go on without a compaction, and how it ends if there can be none. */
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
