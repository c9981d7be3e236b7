/** A child process that fills a session or opens it again: the two halves of the experiment with resuming. */
import type { Runner } from './runner.ts';
import { report } from './task.ts';

export type ResumeJob = { peer: string; baseUrl: string; folder: string } & (
  | { does: 'fill'; steps: number; events: number }
  | { does: 'open'; session: string }
);

export type Filled = { session: string; events: number };
/** `openMs`: from the call that opens until a prompt can be sent. `sentAt`: Unix milliseconds with fractions. */
export type Opened = { openMs: number; sentAt: number };

const work = async (job: ResumeJob): Promise<Filled | Opened> => {
  const { runner }: { runner: Runner } = await import(`./runners/${job.peer}.ts`);
  if (!runner.resume) throw new Error(`${job.peer} keeps no sessions.`);
  const { baseUrl, folder } = job;
  if (job.does === 'fill') return runner.resume.fill({ baseUrl, folder, steps: job.steps }, job.events);
  const beganAt = performance.now();
  const send = await runner.resume.open({ baseUrl, folder, steps: 0 }, job.session);
  const openMs = performance.now() - beganAt;
  const sentAt = performance.timeOrigin + performance.now();
  await send();
  return { openMs, sentAt };
};

await report(work);
