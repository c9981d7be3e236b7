/** How much of a run people are shown. */
export type Shown = { isVerbose: boolean; showsThinking: boolean };
