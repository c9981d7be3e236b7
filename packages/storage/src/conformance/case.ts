import assert from 'node:assert/strict';
import type { SessionLog, Storage } from '@pawl/engine';

/** `run` throws an `AssertionError` that says what the log should have done. */
export type ConformanceCase = { name: string; run(): Promise<void> };

/** A case before it is given its log. The runner closes what was opened. */
export type LogCase<Log extends SessionLog = SessionLog> = {
  name: string;
  check(log: Log, openAgain: () => Promise<Log>): Promise<void>;
};
export type BlobCase = LogCase<Storage>;

/** Ends the case that waits for ever: a watcher that is never woken, a claim that is never released. */
export async function within<Value>(timeoutMs: number, name: string, work: Promise<Value>): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(
      new assert.AssertionError({ message: `“${name}” did not end within ${timeoutMs} ms: something never answered.` }),
    );
  }, timeoutMs);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
