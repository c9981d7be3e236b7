/** The result that a turn was asked for. */
export type TurnResultState = {
  /** Results that were not what was asked for. */
  wrongResults: number;
  /** The step of the last of them. */
  wrongStep: number | null;
  /** What the agent still has to be told about the last of them. */
  correction: string | null;
  /** What is wrong with the last of them, where the turn fails because of it. */
  failedResult: string | null;
};

export const noResultYet = (): TurnResultState => ({
  wrongResults: 0,
  wrongStep: null,
  correction: null,
  failedResult: null,
});
