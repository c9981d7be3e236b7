/** The result that a turn was asked for. */
export type TurnResultState = {
  /** Results that were not what was asked for. */
  wrongResults: number;
  /** What was wrong with the last one; null once there is a right one. */
  wrongResult: string | null;
  /** What the agent has to be told of the last one. */
  correction: string | null;
};

export const noResultYet = (): TurnResultState => ({ wrongResults: 0, wrongResult: null, correction: null });
