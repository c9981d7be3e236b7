import type { Fragment } from '@pawl/protocol';

export type SurroundingsState = {
  /** The system prompt in its pieces, where it is gathered. */
  fragments: readonly Fragment[] | null;
  /** What `fragments` were last looked at for; null takes all anew. */
  gathered: { turn: number; agent: string } | null;
  /** How often they were looked at. */
  gatherings: number;
  /** Files that others changed: which versions the model was told of, and what it is told in which step. */
  foreignChanges: { told: Map<string, string | null>; paths: readonly string[]; turn: number; step: number };
};

export const initialSurroundings = (): SurroundingsState => ({
  fragments: null,
  gathered: null,
  gatherings: 0,
  foreignChanges: { told: new Map(), paths: [], turn: 0, step: 0 },
});
