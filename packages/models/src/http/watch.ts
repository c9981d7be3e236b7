import type { SilenceLimit } from './timeouts.ts';

/** Detects that something has not come for too long. */
export type Watch = {
  /** Begins anew, with the limit that holds now. */
  begin(): void;
  /** It came. */
  heard(): void;
  stop(): void;
};

/** Checks at intervals whether something has come, so that a chunk costs nothing; a silence is detected within twice its limit. */
export function createWatch(limit: () => SilenceLimit, onSilence: (limit: SilenceLimit) => void): Watch {
  let timer: NodeJS.Timeout | undefined;
  let hasHeard = false;

  function begin(): void {
    clearTimeout(timer);
    timer = undefined;
    const current = limit();
    if (current.milliseconds <= 0) return;
    hasHeard = false;
    timer = setTimeout(() => {
      if (hasHeard) begin();
      else onSilence(current);
    }, current.milliseconds);
  }

  return {
    begin,
    heard() {
      hasHeard = true;
    },
    stop: () => clearTimeout(timer),
  };
}
