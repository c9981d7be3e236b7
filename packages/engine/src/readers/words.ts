import type { EventData, Origin, ToolStatus } from '@pawl/protocol';

/** Numbers and times as people read them. */

/** UTC, to the second: the same text on every machine. */
export function timeText(at: number): string {
  return new Date(at)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC');
}

/** A model's id; of a recording only the file's name, not its whole path. */
export function modelText(id: string): string {
  return id.replace(/^replay:.*[\\/]/, 'replay:');
}

export function costText(costUsd: number | null): string {
  if (costUsd === null) return 'unknown';
  if (costUsd === 0) return '$0';
  return costUsd < 0.01 ? `$${costUsd.toPrecision(2)}` : `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`;
}

/** A time span in words: `850 ms`, `1.2 s`, `3 min 20 s`, `2 h 5 min`. */
export function durationText(durationMs: number): string {
  const total = Math.max(0, Math.round(durationMs));
  if (total < 1000) return `${total} ms`;
  if (total < 9950) return `${(total / 1000).toFixed(1).replace(/\.0$/, '')} s`;
  const seconds = Math.round(total / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const rest = Math.round(seconds / 60) % 60;
  const hours = Math.floor(Math.round(seconds / 60) / 60);
  return rest === 0 ? `${hours} h` : `${hours} h ${rest} min`;
}

/** 950, 15k, 1.2M: for tokens, where the last digit tells nobody anything. */
export function countText(count: number): string {
  if (count < 1000) return String(count);
  if (count < 10_000) return `${(count / 1000).toFixed(1).replace(/\.0$/, '')}k`;
  if (count < 1_000_000) return `${Math.round(count / 1000)}k`;
  return `${(count / 1_000_000).toFixed(1).replace(/\.0$/, '')}M`;
}

/** `slug/step`; empty without a workflow. */
export function workflowText({ workflow }: Origin = {}): string {
  return workflow === undefined ? '' : `${workflow.slug}/${workflow.step}`;
}

/** For whom a session works and what else is written down of it, as names and values; those that are there. */
export function originLines({
  origin,
  metadata,
}: {
  origin: Origin;
  metadata: Record<string, string>;
}): [name: string, value: string][] {
  const { user = '', channel = '' } = origin;
  const lines: [string, string][] = [
    ['User', user],
    ['Channel', channel],
    ['Workflow', workflowText(origin)],
    ...Object.entries(metadata),
  ];
  return lines.filter(([, value]) => value !== '');
}

/** How a call ended, or that it is open. */
export const statusText = (status: ToolStatus | 'open'): string => status.replaceAll('_', ' ');

type Decision = EventData['approval.resolved']['decision'];

const decisions: Record<Decision, string> = {
  allow: 'allow',
  deny: 'deny',
  timeout: 'timeout',
  cancelled: 'taken back',
};

/** Who answered an approval, and how. What the engine took back, because the turn was over, nobody has cancelled. */
export const answerText = ({ decision, by }: { decision: Decision; by: string }): string =>
  `${decisions[decision]} by ${by}`;
