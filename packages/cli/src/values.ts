/** What the values of flags mean, checked: every mistake is one clear line. */
import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { usageError } from './usage-error.ts';

const unitsMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `90s`, `5m`, `1h`, `1m30s`, `250ms`, or plain seconds, in milliseconds. @throws `usage`. */
export function parseDuration(flag: string, text: string): number {
  const plain = /^\d+(?:\.\d+)?$/.test(text);
  const parts = plain ? [[text, text, 's']] : [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  const isWhole = plain || (parts.length > 0 && parts.map(([part]) => part).join('') === text);
  const total = parts.reduce((sum, [, number, unit]) => sum + Number(number) * (unitsMs[unit ?? ''] ?? 0), 0);
  const durationMs = Math.round(total);
  if (isWhole && durationMs >= 1 && Number.isSafeInteger(durationMs)) return durationMs;
  throw usageError(`${flag}: "${text}" is not a duration. Write it like 90s, 5m, 1h30m, or in plain seconds.`);
}

/** @throws `usage`. */
export function parseCount(flag: string, text: string, most = Number.MAX_SAFE_INTEGER): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= most) return count;
  const range = most === Number.MAX_SAFE_INTEGER ? 'a whole number from 1' : `a whole number from 1 to ${most}`;
  throw usageError(`${flag}: "${text}" is not ${range}.`);
}

/** Dollars, with or without the sign. @throws `usage`. */
export function parseDollars(flag: string, text: string): number {
  const dollars = Number(text.replace(/^\$/, ''));
  if (/^\$?(?:\d+\.?\d*|\.\d+)$/.test(text) && dollars > 0) return dollars;
  throw usageError(`${flag}: "${text}" is not a sum in dollars. Write it like 0.50.`);
}

/** An existing folder, absolute, without symbolic links in its path. @throws `usage`. */
export function parseFolder(flag: string, text: string): string {
  const path = resolve(text);
  try {
    const folder = realpathSync.native(path);
    if (statSync(folder).isDirectory()) return folder;
  } catch (cause) {
    throw usageError(`${flag}: there is no folder ${path}.`, { cause });
  }
  throw usageError(`${flag}: ${path} is not a folder.`);
}
