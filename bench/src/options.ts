import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

export const experimentNames = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;
export type ExperimentName = (typeof experimentNames)[number];

export type Options = {
  rounds: number;
  only: readonly ExperimentName[];
  peers: readonly string[];
  /** Steps of the one long run. */
  steps: number;
  /** Lengths between which the growth of the cost per step is read. */
  growth: { from: number; to: number } | null;
  deltas: number;
  /** Steps of the runs that warm each process up before it is measured. */
  warmUpSteps: number;
  skipsSlow: boolean;
  /** File for the tables, in Markdown. */
  out: string;
};

const help = `Usage: npm run bench -- [options]

  --runs <n>        interleaved rounds, of which the median counts (5)
  --only <letters>  experiments: a one long run, b many runs at once, c resume, d start,
                    e prompt cache, f a step whose tools run while the model speaks,
                    g glob and grep over 100 000 files, h the programs themselves (abcdefgh)
  --peers <names>   comma-separated, of: PEERS (all)
  --steps <n>       tool steps of the long run of a (200)
  --growth <m,n>    lengths of run between which a's cost per step is compared, or none (50,800)
  --warm-up <n>     steps of the uncounted runs of the same kind before each measurement (800)
  --skip-slow       leave the longer run of --growth out for all but raw, pi and pawl
  --out <file>      where the tables go, as Markdown (results/latest.md; all figures beside it as JSON)
  -h, --help        this text
`;

/** Runners in the order of the tables. */
const allPeers = (): string[] => {
  const first = ['raw', 'pawl', 'pi'];
  const rank = (name: string) => (first.includes(name) ? first.indexOf(name) : first.length);
  return readdirSync(join(import.meta.dirname, 'runners'))
    .map((file) => file.replace(/\.ts$/, ''))
    .toSorted((left, right) => rank(left) - rank(right) || left.localeCompare(right));
};

const positive = (name: string, text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1, not "${text}".`);
  return value;
};

const growthOf = (text: string): Options['growth'] => {
  if (text === 'none') return null;
  const [from = 0, to = 0] = text.split(',').map((part) => positive('growth', part));
  if (from >= to)
    throw new Error(`--growth takes a smaller and a larger number of steps, as in 50,800, not "${text}".`);
  return { from, to };
};

/** What the command line asks for; `null` when it asks for help. @throws with a sentence for the user. */
export const readOptions = (parts: readonly string[]): Options | null => {
  const { values } = parseArgs({
    args: [...parts],
    options: {
      runs: { type: 'string', default: '5' },
      only: { type: 'string', default: experimentNames.join('') },
      peers: { type: 'string' },
      steps: { type: 'string', default: '200' },
      growth: { type: 'string', default: '50,800' },
      'warm-up': { type: 'string', default: '800' },
      'skip-slow': { type: 'boolean', default: false },
      out: { type: 'string', default: join(import.meta.dirname, '../results/latest.md') },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const known = allPeers();
  const peers = values.peers?.split(',') ?? known;
  const stranger = peers.find((peer) => !known.includes(peer));
  if (stranger !== undefined) throw new Error(`There is no peer "${stranger}"; there are ${known.join(', ')}.`);
  const only = experimentNames.filter((name) => values.only.includes(name));
  if (only.length === 0) throw new Error(`--only takes some of ${experimentNames.join(', ')}, not "${values.only}".`);
  return {
    rounds: positive('runs', values.runs),
    only,
    peers,
    steps: positive('steps', values.steps),
    growth: growthOf(values.growth),
    deltas: 50,
    warmUpSteps: positive('warm-up', values['warm-up']),
    skipsSlow: values['skip-slow'],
    out: values.out,
  };
};

export const helpText = (): string => help.replace('PEERS', allPeers().join(', '));
