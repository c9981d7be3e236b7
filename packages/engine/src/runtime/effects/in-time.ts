import type { EffectContext } from './effect.ts';

/**
 * The result of `work`. When its time is up or the effect is no longer owed, the signal of `work` aborts and this rejects
 * at once.
 */
export async function inTime<Value>(
  work: (signal: AbortSignal) => Promise<Value>,
  maxMs: number,
  { ports: { clock }, signal }: Pick<EffectContext, 'ports' | 'signal'>,
): Promise<Value> {
  const limit = new AbortController();
  const whole = AbortSignal.any([signal, limit.signal]);
  const callOff = clock.at(clock.now() + maxMs, () =>
    limit.abort(new Error(`It took longer than ${maxMs / 1000} seconds.`)),
  );
  let giveUp: () => void = () => undefined;
  const over = new Promise<never>((_, reject) => {
    giveUp = () => reject(whole.reason);
    whole.addEventListener('abort', giveUp, { once: true });
    if (whole.aborted) giveUp();
  });
  const result = work(whole);
  try {
    return await Promise.race([result, over]);
  } finally {
    callOff();
    whole.removeEventListener('abort', giveUp);
    // An error after the abort has nobody left to handle it.
    result.catch(() => undefined);
  }
}
