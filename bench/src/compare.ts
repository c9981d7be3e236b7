import type { Series } from './bench.ts';
import type { Measurement } from './measure.ts';
import { median, ratio } from './statistics.ts';
import type { Column } from './table.ts';

type Figure = 'cpuMsPerStep' | 'wallMs' | 'peakRssMb';

export const figures = (series: Series, figure: Figure): number[] =>
  series.measurements.map((one: Measurement) => one[figure]);

/** A figure of one series over that of another, round by round; null when the other was not measured. */
export const over = (series: Series, other: Series | undefined, figure: Figure): number | null =>
  other ? ratio(figures(series, figure), figures(other, figure)) : null;

const isPeer = ({ peer }: Series) => peer !== 'raw' && peer !== 'pawl';

/** The peer that spends least CPU a step. */
export const bestPeer = (all: readonly Series[]): Series | undefined => {
  const cost = (series: Series) => ratio(figures(series, 'cpuMsPerStep'), figures(all[0] ?? series, 'cpuMsPerStep'));
  return all.filter(isPeer).toSorted((left, right) => cost(left) - cost(right))[0];
};

export const rawLoop = (all: readonly Series[]): Series | undefined => all.find(({ peer }) => peer === 'raw');

export const nameOf = (series: Series): string => series.measurements[0]?.label ?? series.peer;

/** How a series stands against the raw loop and the best peer. */
export const comparisonColumns: readonly Column[] = [
  { name: 'CPU a step ÷ raw', unit: 'ratio' },
  { name: '÷ best peer', unit: 'ratio' },
  { name: 'wall ÷ raw', unit: 'ratio' },
  { name: 'peak memory ÷ raw', unit: 'ratio' },
  { name: 'CPU a step', unit: 'ms' },
  { name: 'peak memory', unit: 'MiB' },
];

export const comparisonCells = (series: Series, raw: Series | undefined, best: Series | undefined) => [
  over(series, raw, 'cpuMsPerStep'),
  over(series, best, 'cpuMsPerStep'),
  over(series, raw, 'wallMs'),
  over(series, raw, 'peakRssMb'),
  median(figures(series, 'cpuMsPerStep')),
  median(figures(series, 'peakRssMb')),
];
