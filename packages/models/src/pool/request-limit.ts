/** The time that one try of a call may take, whatever its model does meanwhile. */
import type { Clock } from '@pawl/engine';
import { modelError } from '../errors.ts';

export type RequestLimit = {
  /** Aborts when the caller gives up or the time is up. */
  readonly signal: AbortSignal;
  /** What `work` gives, or `request_timeout` as soon as the time is up. */
  race<Value>(work: Promise<Value>): Promise<Value>;
  end(): void;
};

/** Null without a limit. */
export function requestLimit(
  timeoutMs: number | undefined,
  model: string,
  clock: Clock,
  signal: AbortSignal,
): RequestLimit | null {
  if (timeoutMs === undefined) return null;
  const controller = new AbortController();
  const over = Promise.withResolvers<never>();
  over.promise.catch(() => undefined);
  const callOff = clock.at(clock.now() + timeoutMs, () => {
    const error = modelError('request_timeout', `${model} did not answer within ${timeoutMs} ms.`);
    over.reject(error);
    controller.abort(error);
  });
  return {
    signal: AbortSignal.any([signal, controller.signal]),
    race(work) {
      work.catch(() => undefined);
      return Promise.race([work, over.promise]);
    },
    end: callOff,
  };
}
