import { type Bench, measureOnce } from '../bench.ts';

const restMs = 150;

/**
 * Before anything counts: the server rests in the middle of each answer, and each peer must have given the deltas
 * of the first half before the rest.
 */
export const checkStreaming = async (bench: Bench): Promise<void> => {
  for (const peer of bench.options.peers) {
    const { spreadMs } = await measureOnce(bench, { peer, steps: 3, runs: 1, warmUpSteps: 0, repeats: 1, restMs });
    // Half a rest: timers and processors are not exact, and a peer that waited for the whole answer shows almost 0.
    if (spreadMs < restMs / 2) throw new Error(`${peer} does not stream: its deltas came all at once.`);
    bench.progress(`${peer} streams, and sends the requests that it should`);
  }
};
