/** `pawl usage`: tokens and cost of all sessions, by day, model, agent, session, user or workflow. */

import type { SessionLog } from '@pawl/engine';
import { sumUsage, sumUsageBy, type UsageEntry, type UsageSum, usageOf } from '@pawl/engine/readers/usage';
import { oneLine } from '@pawl/engine/readers/visible';
import { costText, countText, modelText } from '@pawl/engine/readers/words';
import { createStyle, type Style, wantsColour } from '@pawl/terminal/text/style';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { openOutput } from '../output/stdout.ts';
import { type Cell, tableLines } from '../output/table.ts';
import { withLog } from '../sessions/open.ts';
import { usageError } from '../usage-error.ts';
import { parseFolder } from '../values.ts';

export type UsageFlags = { by?: string[]; since?: string; here?: true; json?: true };

const dimensions = ['day', 'model', 'agent', 'session', 'user', 'workflow'] as const;
type Dimension = (typeof dimensions)[number];

/** @throws `usage`. */
export async function showUsage({ by = ['day'], since = '30d', here, json }: UsageFlags): Promise<ExitCode> {
  const chosen = by.flatMap((words) => words.split(',')).map(parseDimension);
  const from = parseSince(since, Date.now());
  const cwd = here === true ? parseFolder('this folder', '.') : null;
  const entries = await withLog((log) => readUsage(log, from, cwd));
  const rows = sumUsageBy(entries, (entry) => chosen.map((dimension) => keyOf(entry, dimension)));
  const total = sumUsage(entries);
  const output = openOutput(process.stdout);
  if (json === true) {
    const named = rows.map(({ keys, sum }) => ({
      ...Object.fromEntries(chosen.map((dimension, index) => [dimension, keys[index]])),
      ...sum,
    }));
    await output.write(`${JSON.stringify({ since: dayOf(from), rows: named, total }, null, 2)}\n`);
  } else await output.write(textOf(chosen, rows, total, createStyle(wantsColour(process.stdout))));
  await output.flush();
  if (entries.length === 0 && json !== true) printNotice(`No model was called since ${dayOf(from)}.`);
  return exitCodes.completed;
}

/** Sessions that have not changed since have nothing to tell. */
async function readUsage(log: SessionLog, from: number, cwd: string | null): Promise<UsageEntry[]> {
  const limit = Number.MAX_SAFE_INTEGER;
  const sessions = await log.list(cwd === null ? { limit } : { limit, cwd });
  const entries: UsageEntry[] = [];
  for (const { session, updatedAt } of sessions) {
    if (updatedAt < from) continue;
    for (const entry of usageOf(await log.read(session))) if (entry.at >= from) entries.push(entry);
  }
  return entries;
}

function keyOf(entry: UsageEntry, dimension: Dimension): string {
  return dimension === 'day' ? dayOf(entry.at) : entry[dimension] || '–';
}

/** The day where the reader is. */
function dayOf(at: number): string {
  const date = new Date(at);
  const two = (number: number) => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function parseDimension(word: string): Dimension {
  const found = dimensions.find((dimension) => dimension === word);
  if (found !== undefined) return found;
  throw usageError(`--by: "${word}" is none of ${dimensions.join(', ')}.`);
}

/** `2026-11-01`, from its first moment here, or `7d`: today and the six days before. */
function parseSince(text: string, now: number): number {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  const today = new Date(now);
  if (days !== undefined && Number(days) > 0) {
    return new Date(today.getFullYear(), today.getMonth(), today.getDate() - Number(days) + 1).getTime();
  }
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  // A day such as 02-31 would be taken for another.
  if (!Number.isNaN(date.getTime()) && dayOf(date.getTime()) === text) return date.getTime();
  throw usageError(`--since: "${text}" is no day. Write it like 2026-11-01, or 7d for the last seven days.`);
}

function textOf(
  chosen: readonly Dimension[],
  rows: readonly { keys: readonly string[]; sum: UsageSum }[],
  total: UsageSum,
  style: Style,
): string {
  if (rows.length === 0) return '';
  const numbers = ['calls', 'input', 'from cache', 'output', 'cost'];
  const head: Cell[] = [
    ...chosen.map((text) => ({ text, paint: style.dim })),
    ...numbers.map((text) => ({ text, paint: style.dim, isRight: true })),
  ];
  const body = rows.map(({ keys, sum }): Cell[] => [...keys.map((key) => oneLine(modelText(key))), ...sumCells(sum)]);
  const last: Cell[] = [
    { text: 'total', paint: style.bold },
    ...chosen.slice(1).map(() => ''),
    ...sumCells(total).map((cell) => (typeof cell === 'string' ? cell : { ...cell, paint: style.bold })),
  ];
  return `${tableLines([head, ...body, last]).join('\n')}\n`;
}

function sumCells({ calls, usage, knownCostUsd, unpricedCalls }: UsageSum): Cell[] {
  const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens, outputTokens } = usage;
  const input = inputTokens + cacheReadTokens + cacheWriteTokens + cacheWriteHourTokens;
  const share = input === 0 ? '–' : `${Math.floor((100 * cacheReadTokens) / input)}%`;
  return [
    String(calls),
    countText(input),
    share,
    countText(outputTokens),
    sumText(knownCostUsd, unpricedCalls, calls),
  ].map((text) => ({ text, isRight: true }));
}

/** What is not known is never left out: `$1.20 + 3 calls of unknown cost`. */
function sumText(knownCostUsd: number, unpricedCalls: number, calls: number): string {
  if (unpricedCalls === 0) return costText(knownCostUsd);
  if (unpricedCalls === calls) return 'unknown';
  return `${costText(knownCostUsd)} + ${unpricedCalls} unknown`;
}
