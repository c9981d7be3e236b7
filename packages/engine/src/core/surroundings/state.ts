import type { Fragment } from '@pawl/protocol';

export type SurroundingsState = {
  /** The fragments of the system prompt, where it is gathered. */
  fragments: readonly Fragment[] | null;
  /** The turn and agent of the last gathering; null gathers everything again. */
  gathered: { turn: number; agent: string } | null;
  /** Context from outside that is in the history: where it stands, and its text. */
  hydrations: {
    region: 'hydrated' | 'entities';
    source: string;
    message: string;
    part: number;
    text: string;
    entries: number;
  }[];
  /** How often surroundings were gathered. */
  gatherings: number;
  /** Files that others changed: the versions that the model was told about, and the paths that it is told about in which step. */
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
