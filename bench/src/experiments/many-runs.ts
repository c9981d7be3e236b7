/** (b) Many runs at once in one process, each a session of its own. */
import { type Bench, type Finding, measureInterleaved } from '../bench.ts';
import { bestPeer, comparisonCells, comparisonColumns, nameOf, rawLoop } from '../compare.ts';

const runs = 100;
const steps = 20;

export const manyRuns = async (bench: Bench): Promise<Finding> => {
  const tasks = bench.options.peers.map((peer) => ({ peer, steps, runs }));
  const all = await measureInterleaved(bench, 'b', tasks);
  const raw = rawLoop(all);
  const best = bestPeer(all);
  return {
    table: {
      title: `(b) ${runs} runs of ${steps} tool steps at once in one process`,
      columns: comparisonColumns,
      rows: all.map((series) => ({ name: nameOf(series), cells: comparisonCells(series, raw, best) })),
    },
    measurements: all,
  };
};
