/** A child process that makes one run against the paced server: the tool takes its time as well. */
import { setTimeout as rest } from 'node:timers/promises';
import type { Runner } from './runner.ts';
import { report } from './task.ts';

export type MakespanJob = {
  peer: string;
  /** Up to `/v1`: of the run that warms up, and of the one that counts. */
  warmUpUrl: string;
  baseUrl: string;
  toolMs: number;
};

await report(async ({ peer, warmUpUrl, baseUrl, toolMs }: MakespanJob, folder) => {
  const { runner }: { runner: Runner } = await import(`./runners/${peer}.ts`);
  for (const url of [warmUpUrl, baseUrl]) {
    const run = await runner.prepare({ baseUrl: url, folder, steps: 4 });
    await run({ delta: () => undefined, echo: (text) => rest(toolMs, text) });
  }
  return { label: runner.label };
});
