/** Bounds and defaults that the schemas, the engine, the tools and the command line share: this is their one source. */

export const bounds = {
  /** The highest limit of model calls in one turn. */
  maxSteps: 1000,
  /** The highest limit of iterations of a turn with a target. */
  maxIterations: 1000,
  maxMailCharacters: 20_000,
  /** Longest answer to a question in a person's own words. */
  maxAnswerCharacters: 20_000,
} as const;

/** Iterations of a turn with a target that names no limit. */
export const defaultIterations = 10;

/** What a client need not say. The schemas fill it in on the wire, the engine for callers in the same process. */
export const commandDefaults = {
  'input.send': { delivery: 'queue' },
  'turn.cancel': { queue: 'run' },
  'mail.send': { artifacts: [] },
} as const;
