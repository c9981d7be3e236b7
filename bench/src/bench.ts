import type { LocalServer } from './local-server.ts';
import type { Job, Measurement } from './measure.ts';
import type { Options } from './options.ts';
import type { Table } from './table.ts';
import { runScript } from './task.ts';

/** What every experiment works with. */
export type Bench = {
  options: Options;
  server: LocalServer;
  /** A line about what is being done, for the person who waits. */
  progress(line: string): void;
  /** A name not used before, for the server's statistics. */
  nextKey(): string;
};

/** An experiment's table and all that was measured for it. */
export type Finding = { table: Table; measurements: readonly object[] };

export type Task = Pick<Job, 'peer' | 'steps' | 'runs'> & Partial<Pick<Job, 'warmUpSteps' | 'restMs' | 'repeats'>>;

/** Steps that a measurement has at least, so that short runs are not measured by one of them. */
const fewestSteps = 1000;

/** Measures in a process of its own and makes sure that the server saw just the requests that were to be made. */
export const measureOnce = async (bench: Bench, task: Task): Promise<Measurement> => {
  const key = bench.nextKey();
  const { deltas, warmUpSteps } = bench.options;
  const repeats = task.repeats ?? Math.ceil(fewestSteps / (task.runs * task.steps));
  const job: Job = { warmUpSteps, restMs: 0, ...task, repeats, key, deltas, server: bench.server.url };
  const measurement = await runScript<Measurement>('measure.ts', job);
  const seen = await bench.server.seen(key);
  const requests = repeats * task.runs * (task.steps + 1);
  const expected = { requests, streamed: requests, finished: repeats * task.runs, mostResults: task.steps };
  for (const name of ['requests', 'streamed', 'finished', 'mostResults'] as const) {
    if (seen[name] !== expected[name]) {
      throw new Error(`${task.peer}: the server saw ${name} ${seen[name]}, not ${expected[name]}.`);
    }
  }
  return measurement;
};

/** A task's measurements, one a round. */
export type Series = Task & { measurements: Measurement[] };

/** Measures the tasks in turn, A B C A B C …, and then one line of progress for each. */
export const measureInterleaved = async (bench: Bench, title: string, tasks: readonly Task[]): Promise<Series[]> => {
  const series = tasks.map((task): Series => ({ ...task, measurements: [] }));
  for (let round = 1; round <= bench.options.rounds; round++) {
    for (const one of series) {
      const measurement = await measureOnce(bench, one);
      one.measurements.push(measurement);
      const figures = `${measurement.cpuMsPerStep.toFixed(2)} ms CPU a step, ${measurement.wallMs.toFixed(0)} ms, ${measurement.peakRssMb.toFixed(0)} MiB`;
      bench.progress(
        `${title}, round ${round} of ${bench.options.rounds}: ${one.peer}, ${one.runs} × ${one.steps} steps: ${figures}`,
      );
    }
  }
  return series;
};
