/** (f) How long a step takes whose tools could run while the model still speaks. */
import type { Bench, Finding } from '../bench.ts';
import { startPacedServer } from '../local-server.ts';
import type { MakespanJob } from '../makespan.ts';
import type { Times } from '../paced-server.ts';
import { median, ratio } from '../statistics.ts';
import { runScript } from '../task.ts';

const tokensPerSecond = 80;
const calls = 4;
const toolMs = 200;
/** Tokens of the text that follows the calls: two and a half seconds of it. */
const tokens = 200;

export const makespan = async (bench: Bench): Promise<Finding> => {
  const server = await startPacedServer();
  const rounds = new Map<string, { label: string; stepMs: number; answerMs: number }[]>();
  try {
    for (let round = 1; round <= bench.options.rounds; round++) {
      for (const peer of bench.options.peers) {
        const key = bench.nextKey();
        const urlOf = (name: string, count: number) => `${server.url}/${name}/${calls}/${count}/${tokensPerSecond}`;
        const job: MakespanJob = { peer, toolMs, warmUpUrl: urlOf(`${key}-warm`, 10), baseUrl: urlOf(key, tokens) };
        const { label } = await runScript<{ label: string }>('makespan.ts', job);
        const { requestAt, answeredAt, nextRequestAt } = await server.get<Times>(`/times/${key}`);
        const one = { label, stepMs: nextRequestAt - requestAt, answerMs: answeredAt - requestAt };
        rounds.set(peer, [...(rounds.get(peer) ?? []), one]);
        const figures = `step ${one.stepMs.toFixed(0)} ms, of which the answer took ${one.answerMs.toFixed(0)} ms`;
        bench.progress(`f, round ${round} of ${bench.options.rounds}: ${peer}: ${figures}`);
      }
    }
  } finally {
    await server.stop();
  }
  return {
    table: {
      title: `(f) A step of ${calls} calls of ${toolMs} ms each at the start of an answer of ${tokens} tokens at ${tokensPerSecond} a second`,
      columns: [
        { name: 'step ÷ the answer alone', unit: 'ratio' },
        { name: 'step', unit: 'ms' },
      ],
      rows: [...rounds.values()].map((all) => ({
        name: all[0]?.label ?? '',
        cells: [
          ratio(
            all.map(({ stepMs }) => stepMs),
            all.map(({ answerMs }) => answerMs),
          ),
          median(all.map(({ stepMs }) => stepMs)),
        ],
      })),
    },
    measurements: [...rounds.values()].flat(),
  };
};
