/** (d) From the start of a process to the first byte of its first request. */
import { join } from 'node:path';
import type { Bench, Finding } from '../bench.ts';
import { plainScripts } from '../plain-scripts.ts';
import { prompt } from '../runner.ts';
import { pathOf } from '../script.ts';
import { median, ratio } from '../statistics.ts';
import { inTemporaryFolder, runNode } from '../task.ts';

const now = () => performance.timeOrigin + performance.now();
const repository = join(import.meta.dirname, '../../..');
/** As it is published: built and bundled. */
const commandLine = join(repository, 'dist/cli/bin/pawl.js');

/** Node's own start: from spawning `node -e 0` until it has ended. */
const nodeAlone = async (): Promise<number> => {
  const beganAt = now();
  await runNode(['-e', '0']);
  return now() - beganAt;
};

/** The script of raw and the peers, and Pawl's home, kept from start to start as its user's is, with the code compiled. */
type Given = { script: string; home: string };

/** Pawl is started as its user starts it; the others as the shortest script that imports them and sends a prompt. */
const start = (peer: string, baseUrl: string, given: Given): Promise<string> =>
  inTemporaryFolder((folder) =>
    peer === 'pawl'
      ? runNode([commandLine, 'run', '--model', 'anthropic/bench', prompt], {
          cwd: folder,
          environment: { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: 'key', PAWL_HOME: given.home },
        })
      : runNode([given.script, peer, baseUrl, folder]),
  );

const untilFirstRequest = async (bench: Bench, peer: string, given: Given): Promise<number> => {
  const key = bench.nextKey();
  const baseUrl = `${bench.server.url}${pathOf({ key, steps: 0, deltas: bench.options.deltas, restMs: 0 })}`;
  const beganAt = now();
  await start(peer, baseUrl, given);
  const { firstRequestAt } = await bench.server.seen(key);
  if (firstRequestAt === null) throw new Error(`${peer} ended without a request.`);
  return firstRequestAt - beganAt;
};

const nameOf = (peer: string): string => {
  switch (peer) {
    case 'raw':
      return 'raw loop (fetch)';
    case 'pawl':
      return 'pawl run';
    default:
      return `a script with ${peer}`;
  }
};

export const firstRequest = (bench: Bench): Promise<Finding> =>
  inTemporaryFolder(async (home) => measureStarts(bench, { script: await plainScripts(bench.options.peers), home }));

const measureStarts = async (bench: Bench, given: Given): Promise<Finding> => {
  const { peers, rounds } = bench.options;
  const alone: number[] = [];
  const all = peers.map((peer) => ({ peer, firstRequestMs: [] as number[] }));
  // Once without counting: every file is then in the disk cache for all alike.
  if (peers.includes('pawl')) await runNode([join(repository, 'scripts/build.ts')], { cwd: repository });
  await nodeAlone();
  for (const { peer } of all) await untilFirstRequest(bench, peer, given);
  for (let round = 1; round <= rounds; round++) {
    alone.push(await nodeAlone());
    for (const one of all) {
      const ms = await untilFirstRequest(bench, one.peer, given);
      one.firstRequestMs.push(ms);
      bench.progress(
        `d, round ${round} of ${rounds}: ${one.peer}: ${ms.toFixed(0)} ms, node alone ${alone.at(-1)?.toFixed(0)} ms`,
      );
    }
  }
  const beyond = (values: readonly number[]) => values.map((value, round) => value - (alone[round] ?? Number.NaN));
  const raw = all.find(({ peer }) => peer === 'raw');
  return {
    table: {
      title: '(d) From the start of a process to its first request',
      columns: [
        { name: '÷ Node’s own start', unit: 'ratio' },
        { name: 'beyond Node’s own, ÷ that of raw', unit: 'ratio' },
        { name: 'first request', unit: 'ms' },
        { name: 'beyond Node’s own', unit: 'ms' },
      ],
      rows: [
        { name: 'node -e 0, whole', cells: [1, null, median(alone), null] },
        ...all.map(({ peer, firstRequestMs }) => ({
          name: nameOf(peer),
          cells: [
            ratio(firstRequestMs, alone),
            raw ? ratio(beyond(firstRequestMs), beyond(raw.firstRequestMs)) : null,
            median(firstRequestMs),
            median(beyond(firstRequestMs)),
          ],
        })),
      ],
    },
    measurements: [{ nodeAloneMs: alone }, ...all],
  };
};
