import type { Clock } from '../ports.ts';

/** Reports when no event was heard for `afterMs` although events are expected, and when one is heard again. */
export function listenForSilence(
  clock: Clock,
  afterMs: number,
  tell: (isSilent: boolean) => Promise<void>,
): { heard(isExpected: boolean): void; end(): void } {
  let last = clock.now();
  let isExpected = false;
  let isSilent = false;
  let callOff: () => void = () => undefined;
  const say = (silent: boolean) => {
    isSilent = silent;
    // If it can no longer be reported, nobody needs it.
    tell(silent).catch(() => undefined);
  };
  const wait = () => {
    callOff = clock.at(last + afterMs, () => {
      const isDue = clock.now() >= last + afterMs;
      if (isDue && isExpected && !isSilent) say(true);
      if (isDue) last = clock.now();
      wait();
    });
  };
  wait();
  return {
    heard(expected) {
      last = clock.now();
      isExpected = expected;
      if (isSilent) say(false);
    },
    end: () => callOff(),
  };
}
