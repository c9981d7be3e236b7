/** Writes and reads a log that may fail for a moment: a record is written once, however often it is tried. */
import type { DurableEvent } from '@pawl/protocol';
import { isPawlError, messageOf, PawlError } from '@pawl/protocol';
import { canonicalJson } from '../core/index.ts';
import type { Clock, SessionLog } from '../ports.ts';
import { keepingAlive, pause } from '../waiting.ts';

/** Waits between tries, ms; after the last one the error is thrown. */
const retryWaitsMs = [50, 500, 2000];

export type LogAccess = { session: string; log: SessionLog; clock: Clock };

/**
 * Writes one record once: an append whose answer was lost is found in the log and not repeated. `onTrouble` is called
 * after each failed try; an error of `checkDriving` ends the tries.
 * @throws `conflict` when somebody else wrote; the log's own error when it cannot be written.
 */
export async function write(
  { session, log, clock }: LogAccess,
  record: readonly DurableEvent[],
  { onTrouble, checkDriving }: { onTrouble(sentence: string): void; checkDriving(): void },
): Promise<void> {
  const expected = (record[0]?.seq ?? 1) - 1;
  for (let attempt = 0; ; attempt++) {
    try {
      await log.append(session, expected, record);
      return;
    } catch (error) {
      const isConflict = isPawlError(error, 'conflict');
      if ((isConflict && attempt === 0) || isPawlError(error, 'invalid_append')) throw error;
      const waitMs = retryWaitsMs[attempt];
      const written = await log.read(session, expected).catch(() => null);
      if (written !== null && isSame(written, record)) return;
      if (isConflict || (written !== null && written.length > 0)) throw conflictAt(session, error);
      if (waitMs === undefined) throw error;
      onTrouble(`The log could not be written (${messageOf(error)}); trying again.`);
      await keepingAlive(pause(clock, waitMs));
      checkDriving();
    }
  }
}

/** Reads the events after `afterSeq`, with several tries. */
export async function readAfter({ session, log, clock }: LogAccess, afterSeq: number): Promise<DurableEvent[]> {
  for (const waitMs of retryWaitsMs) {
    try {
      return await log.read(session, afterSeq);
    } catch {
      await keepingAlive(pause(clock, waitMs));
    }
  }
  return log.read(session, afterSeq);
}

function conflictAt(id: string, cause: unknown): PawlError {
  return new PawlError('conflict', `Session ${id} has events that this driver did not write.`, { cause });
}

function isSame(written: readonly DurableEvent[], record: readonly DurableEvent[]): boolean {
  return written.length === record.length && canonicalJson(written) === canonicalJson(record);
}
