/** The result that a turn was asked for. */
export type TurnResultState = {
  /** Results that were not what was asked for. */
  wrongResults: number;
  /** The step of the last of them. */
  wrongStep: number | null;
  /** What the agent has to be told of the last one. */
  correction: string | null;
  /** What is wrong with the last one, where it is not asked for again. */
  failedResult: string | null;
};

export const noResultYet = (): TurnResultState => ({
  wrongResults: 0,
  wrongStep: null,
  correction: null,
  failedResult: null,
});
