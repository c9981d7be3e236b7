/**
 * A child process that does one measurement and prints it as one line of JSON.
 * Its argument is a `Job` as JSON.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { finalText, toolText } from './answers.ts';
import type { Run, Runner, Tally } from './runner.ts';
import { pathOf } from './script.ts';
import { median } from './statistics.ts';
import { report } from './task.ts';

export type Job = {
  /** The file in `runners/`, without its ending. */
  peer: string;
  /** Where the server listens, without a path. */
  server: string;
  /** Names this measurement at the server; the warm-up has `<key>-warm`. */
  key: string;
  steps: number;
  deltas: number;
  /** Runs at once, each a session of its own. */
  runs: number;
  /** Steps of the one run that warms up first; 0 for none. */
  warmUpSteps: number;
  restMs: number;
};

export type Measurement = {
  label: string;
  /** From the first prompt to the last run's end. */
  wallMs: number;
  /** User and system time of the process, all threads, over the same span. */
  cpuMs: number;
  cpuMsPerStep: number;
  /** Largest resident set of the process in its whole life, in MiB. */
  peakRssMb: number;
  /** Between the first and the last delta of an answer, the median of the first run's; below the rest, it did not stream. */
  spreadMs: number;
};

const tallied = async (run: Run, deltasPerStep: number): Promise<Tally & { spreadMs: number }> => {
  const tally: Tally = { deltas: 0, toolRuns: 0, finalText: '' };
  let stepBeganAt = 0;
  const spreadsMs: number[] = [];
  await run({
    delta(text) {
      tally.deltas++;
      tally.finalText = text;
      const place = tally.deltas % deltasPerStep;
      if (place === 1) stepBeganAt = performance.now();
      if (place === 0) spreadsMs.push(performance.now() - stepBeganAt);
    },
    echo(text) {
      tally.toolRuns++;
      if (text !== toolText(tally.toolRuns)) throw new Error(`The tool was called with "${text}" out of turn.`);
      return text;
    },
  });
  return { ...tally, spreadMs: median(spreadsMs) };
};

const check = (tally: Tally, job: { steps: number; deltas: number }) => {
  const expected: Tally = { deltas: job.steps * job.deltas + 1, toolRuns: job.steps, finalText };
  for (const name of ['deltas', 'toolRuns', 'finalText'] as const) {
    if (tally[name] !== expected[name]) throw new Error(`${name} is ${tally[name]}, not ${expected[name]}.`);
  }
};

const measure = async (job: Job, folder: string): Promise<Measurement> => {
  const { runner }: { runner: Runner } = await import(`./runners/${job.peer}.ts`);
  const prepared = async (key: string, steps: number) => {
    const own = join(folder, key);
    await mkdir(own);
    return runner.prepare({ baseUrl: `${job.server}${pathOf({ ...job, key, steps })}`, folder: own, steps });
  };
  if (job.warmUpSteps > 0) {
    const warm = await prepared(`${job.key}-warm`, job.warmUpSteps);
    check(await tallied(warm, job.deltas), { ...job, steps: job.warmUpSteps });
  }
  const run = await prepared(job.key, job.steps);
  const beganAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const tallies = await Promise.all(Array.from({ length: job.runs }, () => tallied(run, job.deltas)));
  const cpu = process.cpuUsage(cpuBefore);
  const wallMs = performance.now() - beganAt;
  for (const tally of tallies) check(tally, job);
  const cpuMs = (cpu.user + cpu.system) / 1000;
  return {
    label: runner.label,
    wallMs,
    cpuMs,
    cpuMsPerStep: cpuMs / (job.runs * job.steps),
    peakRssMb: process.resourceUsage().maxRSS / 1024,
    spreadMs: tallies[0]?.spreadMs ?? 0,
  };
};

await report(measure);
