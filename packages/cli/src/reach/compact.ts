import type { Storage } from '@pawl/engine';
import type { DurableEvent } from '@pawl/protocol';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { compactionLine } from '../output/compaction-line.ts';
import { printNotice } from '../output/notice.ts';
import { findSession } from '../sessions/find.ts';
import { withLog } from '../sessions/open.ts';
import { deliver } from './deliver.ts';
import { readerOf } from './guest.ts';

type Ending = Extract<DurableEvent, { type: 'context.compacted' | 'compaction.failed' | 'compaction.cancelled' }>;
const isEnding = (event: DurableEvent): event is Ending =>
  event.type === 'context.compacted' || event.type === 'compaction.failed' || event.type === 'compaction.cancelled';

/** `pawl compact <session>`: by whoever drives it, else here. @throws the refusal, such as that there is too little. */
export async function compactSession(named: string, words: readonly string[]): Promise<ExitCode> {
  const focus = words.join(' ').trim();
  const data = focus === '' ? {} : { focus };
  const { session, receipt } = await withLog(async (log) => {
    const { session } = await findSession(log, named);
    return { session, receipt: await deliver(log, { session, type: 'context.compact', data }) };
  });
  if (!receipt.isDriven) {
    const { runPrompt } = await import('../run/run.ts');
    await runPrompt(null, { resume: session, outputFormat: 'text' });
  }
  const ending = await withLog((log) => endingAfter(log, session, receipt));
  if (ending === null) {
    printNotice('The compaction is not over; it is gone on with together with the session.');
    return exitCodes.later;
  }
  if (receipt.isDriven) printNotice(compactionLine(ending));
  return ending.type === 'context.compacted' ? exitCodes.completed : exitCodes.failed;
}

/** How the compaction ended; null where nobody works at it any more. */
async function endingAfter(
  log: Storage,
  session: string,
  { seq, isDriven }: { seq: number; isDriven: boolean },
): Promise<Ending | null> {
  const leaving = new AbortController();
  const look = setInterval(() => {
    Promise.resolve(log.owner?.(session) ?? null).then(
      (owner) => owner === null && leaving.abort(),
      () => leaving.abort(),
    );
  }, 500);
  if (!isDriven) leaving.abort();
  try {
    for await (const event of readerOf(log).watch(session, seq, leaving.signal)) if (isEnding(event)) return event;
    return (await log.read(session, seq)).find(isEnding) ?? null;
  } finally {
    clearInterval(look);
    leaving.abort();
  }
}
