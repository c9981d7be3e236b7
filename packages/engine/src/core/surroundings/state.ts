import type { Fragment } from '@pawl/protocol';

export type SurroundingsState = {
  /** The system prompt in its pieces, where it is gathered. */
  fragments: readonly Fragment[] | null;
  /** What `fragments` were last looked at for; null takes all anew. */
  gathered: { turn: number; agent: string } | null;
  /** Context from outside that was put into the history: where it stands, and what it said. */
  hydrations: {
    region: 'hydrated' | 'entities';
    source: string;
    message: string;
    part: number;
    text: string;
    entries: number;
  }[];
  /** How often they were looked at. */
  gatherings: number;
  /** Files that others changed: which versions the model was told of, and what it is told in which step. */
  foreignChanges: {
    reportedVersions: Map<string, string | null>;
    paths: readonly string[];
    turn: number;
    step: number;
  };
};

export const initialSurroundings = (): SurroundingsState => ({
  fragments: null,
  gathered: null,
  hydrations: [],
  gatherings: 0,
  foreignChanges: { reportedVersions: new Map(), paths: [], turn: 0, step: 0 },
});
