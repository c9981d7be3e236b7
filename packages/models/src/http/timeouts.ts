/**
 * There is no limit on a whole answer, which may rightly take an hour; only on waiting with nothing happening.
 * A limit of 0 is none.
 */
export type Timeouts = {
  /** Until the connection stands, TLS included; default 10 s. */
  connectMs: number;
  /**
   * From the request being sent until the first byte of the answer's body, and of each silence after it until the model
   * writes its answer: it may think that long without a word. Default 30 min.
   */
  firstByteMs: number;
  /** Between two chunks of the answer, once the model writes; default 5 min. */
  idleMs: number;
};

export const defaultTimeouts: Timeouts = { connectMs: 10_000, firstByteMs: 1_800_000, idleMs: 300_000 };

/** A limit on silence, and the setting that it comes from. */
export type SilenceLimit = { milliseconds: number; setting: 'timeouts.firstByteMs' | 'timeouts.idleMs' };

/** How long an answer that has begun may be silent. `isWriting`: it holds more than thoughts. 0 is no limit. */
export function silenceLimit({ firstByteMs, idleMs }: Timeouts, isWriting: boolean): SilenceLimit {
  const isPatient = !isWriting && idleMs > 0 && (firstByteMs <= 0 || firstByteMs > idleMs);
  return isPatient
    ? { milliseconds: firstByteMs, setting: 'timeouts.firstByteMs' }
    : { milliseconds: idleMs, setting: 'timeouts.idleMs' };
}
