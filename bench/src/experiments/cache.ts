/** (e) How much of what a provider's prompt cache could give is taken, with nothing switched on. */
import type { Bench, Finding } from '../bench.ts';
import type { CacheJob } from '../cache-run.ts';
import { type CacheTotals, startCacheServer } from '../cache-server.ts';
import { runScript } from '../task.ts';

const steps = 100;
/** With 12 calls a step adds 24 blocks, more than a cache mark looks back. */
const callCounts = [3, 12];

type CacheMeasurement = { peer: string; label: string; calls: number; totals: CacheTotals | null };

/** What the input costs over what it would without a cache: a read a tenth, a write a quarter more. */
const cost = ({ inputTokens, readTokens, writtenTokens }: CacheTotals): number =>
  (inputTokens - readTokens - writtenTokens + 0.1 * readTokens + 1.25 * writtenTokens) / inputTokens;

const share = ({ readTokens, readableTokens }: CacheTotals): number => readTokens / readableTokens;

export const cacheShare = async (bench: Bench): Promise<Finding> => {
  const server = await startCacheServer();
  const measurements: CacheMeasurement[] = [];
  try {
    for (const calls of callCounts) {
      for (const peer of bench.options.peers) {
        server.begin(steps, calls);
        const job: CacheJob = { peer, baseUrl: server.url, steps };
        const { label, isMeasured } = await runScript<{ label: string; isMeasured: boolean }>('cache-run.ts', job);
        const totals = server.totals();
        if (isMeasured && totals.requests !== steps + 1) {
          throw new Error(`${peer}: the server saw ${totals.requests} requests, not ${steps + 1}.`);
        }
        measurements.push({ peer, label, calls, totals: isMeasured ? totals : null });
        const found = isMeasured ? `${(100 * share(totals)).toFixed(1)} % read` : 'speaks another wire';
        bench.progress(`e: ${peer}, ${calls} calls a step: ${found}`);
      }
    }
  } finally {
    await server.stop();
  }
  const cells = (peer: string, figure: (totals: CacheTotals) => number) =>
    callCounts.map((calls) => {
      const totals = measurements.find((one) => one.peer === peer && one.calls === calls)?.totals;
      return totals ? figure(totals) : null;
    });
  return {
    table: {
      title: `(e) Prompt cache over ${steps} steps, as it comes`,
      columns: [
        ...callCounts.map((calls) => ({ name: `read ÷ readable, ${calls} calls a step`, unit: 'ratio' as const })),
        ...callCounts.map((calls) => ({ name: `price of input ÷ uncached, ${calls} calls`, unit: 'ratio' as const })),
      ],
      rows: bench.options.peers.map((peer) => ({
        name: measurements.find((one) => one.peer === peer)?.label ?? peer,
        cells: [...cells(peer, share), ...cells(peer, cost)],
      })),
    },
    measurements,
  };
};
