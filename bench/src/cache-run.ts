/** A child process that lets one runner do one run, and prints what it is called. Its argument is a `CacheJob` as JSON. */
import type { Runner } from './runner.ts';
import { report } from './task.ts';

export type CacheJob = {
  /** The file in `runners/`, without its ending. */
  peer: string;
  /** Up to `/v1`. */
  baseUrl: string;
  steps: number;
};

await report(async ({ peer, baseUrl, steps }: CacheJob, folder) => {
  const { runner }: { runner: Runner } = await import(`./runners/${peer}.ts`);
  if (runner.wire !== 'anthropic') return { label: runner.label, isMeasured: false };
  const run = await runner.prepare({ baseUrl, folder, steps });
  await run({ delta() {}, echo: (text) => text });
  return { label: runner.label, isMeasured: true };
});
