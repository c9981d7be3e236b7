/**
 * There is no limit on a whole answer, which may rightly take an hour; only on waiting with nothing happening.
 * A limit of 0 is none.
 */
export type Timeouts = {
  /** Until the connection stands, TLS included; default 10 s. */
  connectMs: number;
  /**
   * From the request being sent until the first byte of the answer's body, and of each silence while the model thinks and
   * before it writes: it may think that long without a word. Default 30 min.
   */
  firstByteMs: number;
  /** Between two chunks of the answer, once the model writes; default 5 min. */
  idleMs: number;
  /**
   * Between two pieces of the answer itself (text, thoughts, calls), once the model writes: pings keep a connection alive,
   * and none of them is a piece. While it thinks, `firstByteMs` if that is longer. Default 10 min.
   */
  contentMs: number;
};

export const defaultTimeouts: Timeouts = {
  connectMs: 10_000,
  firstByteMs: 1_800_000,
  idleMs: 300_000,
  contentMs: 600_000,
};

/** A limit on silence, and the setting that it comes from. 0 is no limit. */
export type SilenceLimit = { milliseconds: number; setting: `timeouts.${Exclude<keyof Timeouts, 'connectMs'>}` };

/** How long nothing at all may come of an answer that has begun. */
export function silenceLimit(timeouts: Pick<Timeouts, 'firstByteMs' | 'idleMs'>, isThinking: boolean): SilenceLimit {
  return whileThinking({ milliseconds: timeouts.idleMs, setting: 'timeouts.idleMs' }, timeouts.firstByteMs, isThinking);
}

/** How long nothing of the answer itself may come, whatever else does. */
export function contentLimit(timeouts: Pick<Timeouts, 'firstByteMs' | 'contentMs'>, isThinking: boolean): SilenceLimit {
  return whileThinking(
    { milliseconds: timeouts.contentMs, setting: 'timeouts.contentMs' },
    timeouts.firstByteMs,
    isThinking,
  );
}

/** A model that thinks may be silent for as long as one that has not begun. */
function whileThinking(own: SilenceLimit, firstByteMs: number, isThinking: boolean): SilenceLimit {
  const isPatient = isThinking && own.milliseconds > 0 && (firstByteMs <= 0 || firstByteMs > own.milliseconds);
  return isPatient ? { milliseconds: firstByteMs, setting: 'timeouts.firstByteMs' } : own;
}
