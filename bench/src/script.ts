/** What a run is to do, carried in the base URL so that the server holds nothing of it. */
export type Script = {
  /** Names the measurement in the server's statistics. */
  key: string;
  /** Answers with a tool call before the last one. */
  steps: number;
  /** Text deltas in each of them. */
  deltas: number;
  /** Milliseconds that the server rests in the middle of each answer; 0 but in the check that a peer streams. */
  restMs: number;
};

/** The path that stands before `/v1/…`. */
export const pathOf = (script: Script) => `/${script.key}/${script.steps}/${script.deltas}/${script.restMs}`;

/** Null for a path that is no script's. */
export const scriptOf = (path: string): Script | null => {
  const match = /^\/([\w-]+)\/(\d+)\/(\d+)\/(\d+)\//.exec(path);
  const [, key, steps, deltas, restMs] = match ?? [];
  return key === undefined ? null : { key, steps: Number(steps), deltas: Number(deltas), restMs: Number(restMs) };
};

/** What the server saw of one key. */
export type Seen = {
  requests: number;
  /** Requests that asked for a stream. */
  streamed: number;
  /** Runs that came to their last answer. */
  finished: number;
  /** Most tool results in one request. */
  mostResults: number;
  /** Size of the largest request body, in bytes. */
  largestBytes: number;
  /** When the first request's head had arrived, in Unix milliseconds with fractions; null before. */
  firstRequestAt: number | null;
};
