/**
 * There is no limit on a whole answer, which may rightly take an hour; only on waiting with nothing happening.
 * A limit of 0 is none.
 */
export type Timeouts = {
  /** Until the connection stands, TLS included; default 10 s. */
  connectMs: number;
  /** From the request being sent until the first byte of the answer's body; default 10 min. */
  firstByteMs: number;
  /** Between two chunks of the answer; default 5 min. */
  idleMs: number;
};

export const defaultTimeouts: Timeouts = { connectMs: 10_000, firstByteMs: 600_000, idleMs: 300_000 };
