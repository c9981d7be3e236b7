/** (a) One run of many steps, warm and cold, and how the cost of a step grows with the length of the run. */
import { type Bench, type Finding, measureInterleaved, type Series } from '../bench.ts';
import { bestPeer, comparisonCells, comparisonColumns, figures, nameOf, over, rawLoop } from '../compare.ts';
import { median } from '../statistics.ts';
import type { Column } from '../table.ts';

const fast = ['raw', 'pi', 'pawl'];

export const longRun = async (bench: Bench): Promise<Finding> => {
  const { peers, steps, growth, skipsSlow, deltas } = bench.options;
  const isSkipped = (peer: string, count: number) =>
    skipsSlow && count !== steps && count === growth?.to && !fast.includes(peer);
  const counts = [...new Set([steps, ...(growth ? [growth.from, growth.to] : [])])];
  const tasks = counts.flatMap((count) =>
    peers.filter((peer) => !isSkipped(peer, count)).map((peer) => ({ peer, steps: count, runs: 1 })),
  );
  const all = await measureInterleaved(bench, 'a', tasks);
  // The first run of a process, while its code is still being compiled.
  const cold = await measureInterleaved(
    bench,
    'a, cold',
    peers.map((peer) => ({ peer, steps, runs: 1, warmUpSteps: 0, repeats: 1 })),
  );
  const rawCold = rawLoop(cold);
  const coldCells = (peer: string) => {
    const series = cold.find((one) => one.peer === peer);
    return [series ? over(series, rawCold, 'cpuMsPerStep') : null];
  };
  const main = all.filter((series) => series.steps === steps);
  const raw = rawLoop(main);
  const best = bestPeer(main);
  const cpu = (series: Series | undefined) => (series ? median(figures(series, 'cpuMsPerStep')) : null);
  const growthCells = (peer: string) => {
    if (!growth) return [];
    const from = all.find((series) => series.peer === peer && series.steps === growth.from);
    const to = all.find((series) => series.peer === peer && series.steps === growth.to);
    return [to ? over(to, from, 'cpuMsPerStep') : null, cpu(from), cpu(to)];
  };
  const growthColumns: Column[] = growth
    ? [
        { name: `CPU a step, ${growth.to} steps ÷ ${growth.from}`, unit: 'ratio' },
        { name: `CPU a step at ${growth.from}`, unit: 'ms' },
        { name: `at ${growth.to}`, unit: 'ms' },
      ]
    : [];
  return {
    table: {
      title: `(a) One run of ${steps} tool steps, ${deltas} text deltas a step`,
      columns: [...comparisonColumns, { name: 'CPU a step of a cold run ÷ raw', unit: 'ratio' }, ...growthColumns],
      rows: main.map((series) => ({
        name: nameOf(series),
        cells: [...comparisonCells(series, raw, best), ...coldCells(series.peer), ...growthCells(series.peer)],
      })),
    },
    measurements: [...all, ...cold],
  };
};
