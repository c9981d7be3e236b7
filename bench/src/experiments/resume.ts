/** (c) Opening a long session again in a new process. Only for those whose sessions outlive a process. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, Finding } from '../bench.ts';
import type { Filled, Opened, ResumeJob } from '../resume-session.ts';
import { pathOf } from '../script.ts';
import { median, ratio } from '../statistics.ts';
import { inTemporaryFolder, runNode, runScript } from '../task.ts';

const events = 10_000;
/** Steps of each turn that fills the session. */
const steps = 100;
const peer = 'pawl';

type Round = Opened & { requestMs: number; nodeAloneMs: number };

export const resume = async (bench: Bench): Promise<Finding | null> => {
  if (!bench.options.peers.includes(peer)) return null;
  const urlOf = (key: string, count: number) =>
    `${bench.server.url}${pathOf({ key, steps: count, deltas: bench.options.deltas, restMs: 0 })}`;
  return inTemporaryFolder(async (folder) => {
    const full = join(folder, 'full');
    bench.progress(`c: filling a session with ${events} events`);
    const fill: ResumeJob = { does: 'fill', peer, folder: full, baseUrl: urlOf(bench.nextKey(), steps), steps, events };
    const filled = await runScript<Filled>('resume-session.ts', fill);
    const rounds: Round[] = [];
    for (let round = 1; round <= bench.options.rounds; round++) {
      const copy = join(folder, `round-${round}`);
      await cp(full, copy, { recursive: true });
      const key = bench.nextKey();
      const job: ResumeJob = { does: 'open', peer, folder: copy, baseUrl: urlOf(key, 0), session: filled.session };
      const opened = await runScript<Opened>('resume-session.ts', job);
      const { firstRequestAt } = await bench.server.seen(key);
      if (firstRequestAt === null) throw new Error('The session was opened, but no request followed.');
      const beganAt = performance.now();
      await runNode(['-e', '0']);
      rounds.push({ ...opened, requestMs: firstRequestAt - opened.sentAt, nodeAloneMs: performance.now() - beganAt });
      bench.progress(
        `c, round ${round} of ${bench.options.rounds}: open ${opened.openMs.toFixed(1)} ms, first request ${rounds.at(-1)?.requestMs.toFixed(1)} ms later`,
      );
    }
    const alone = rounds.map((round) => round.nodeAloneMs);
    const row = (name: string, of: (round: Round) => number) => ({
      name,
      cells: [ratio(rounds.map(of), alone), median(rounds.map(of))],
    });
    return {
      table: {
        title: `(c) Resuming a session of ${filled.events} events in a new process`,
        columns: [
          { name: '÷ Node’s own start', unit: 'ratio' as const },
          { name: 'time', unit: 'ms' as const },
        ],
        rows: [
          row('from open until a prompt can be sent', (round) => round.openMs),
          row('from open to the first request', (round) => round.openMs + round.requestMs),
        ],
      },
      measurements: rounds,
    };
  });
};
