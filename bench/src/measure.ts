/**
 * A child process that does one measurement and prints it as one line of JSON.
 * Its argument is a `Job` as JSON.
 */
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
  /** Names this measurement at the server. */
  key: string;
  steps: number;
  deltas: number;
  /** Runs at once, each a session of its own. */
  runs: number;
  /** How often all that is done, one after the other; the median counts. */
  repeats: number;
  /** Steps of the runs that warm up first, each as long as the one that counts; 0 for none. */
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
  const run = await runner.prepare({ baseUrl: `${job.server}${pathOf(job)}`, folder, steps: job.steps });
  const allAtOnce = () => Promise.all(Array.from({ length: job.runs }, () => tallied(run, job.deltas)));
  for (let warmed = 0; warmed < job.warmUpSteps; warmed += job.steps * job.runs) {
    for (const tally of await allAtOnce()) check(tally, job);
  }
  await fetch(`${job.server}/forget/${job.key}`);
  const all: { wallMs: number; cpuMs: number; spreadMs: number }[] = [];
  for (let repeat = 0; repeat < job.repeats; repeat++) {
    const beganAt = performance.now();
    const cpuBefore = process.cpuUsage();
    const tallies = await allAtOnce();
    const cpu = process.cpuUsage(cpuBefore);
    const wallMs = performance.now() - beganAt;
    for (const tally of tallies) check(tally, job);
    all.push({ wallMs, cpuMs: (cpu.user + cpu.system) / 1000, spreadMs: tallies[0]?.spreadMs ?? 0 });
  }
  const cpuMs = median(all.map((one) => one.cpuMs));
  return {
    label: runner.label,
    wallMs: median(all.map((one) => one.wallMs)),
    cpuMs,
    cpuMsPerStep: cpuMs / (job.runs * job.steps),
    peakRssMb: process.resourceUsage().maxRSS / 1024,
    spreadMs: median(all.map((one) => one.spreadMs)),
  };
};

await report(measure);
