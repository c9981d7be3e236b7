/** Numbers and times as people read them. */

/** UTC, to the second: the same text on every machine. */
export function timeText(at: number): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

export function costText(costUsd: number | null): string {
  if (costUsd === null) return 'unknown';
  if (costUsd === 0) return '$0';
  return costUsd < 0.01 ? `$${costUsd.toPrecision(2)}` : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`;
}

export function durationText(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  const seconds = durationMs / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** 950, 15k, 1.2M: for tokens, where the last digit tells nobody anything. */
export function countText(count: number): string {
  if (count < 1000) return String(count);
  if (count < 10_000) return `${(count / 1000).toFixed(1).replace(/\.0$/, '')}k`;
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}
