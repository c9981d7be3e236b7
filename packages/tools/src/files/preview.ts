import type { Preview } from '@pawl/protocol';
import { escapeInvisible } from '../escape.ts';
import type { Change } from './change.ts';
import { structuredDiff } from './diff.ts';
import { lineEndOf, withLineEnd } from './encodings.ts';

/** Longest diff that is kept in the log for showing, in characters. The counts are always of the whole. */
const longestPreview = 60_000;

/** What changes of files look like, with every invisible character made visible. */
export async function previewChanges(changes: readonly Change[]): Promise<Preview> {
  const diffs: Diff[] = [];
  const createdFiles: string[] = [];
  for (const { place, text, moved } of changes) {
    // The other side of a move shows it.
    if (moved !== undefined && 'to' in moved) continue;
    const from = moved?.from ?? (text.before === null ? null : { shown: place.shown, text: text.before });
    const to = text.after === null ? null : { shown: place.shown, text: text.after };
    diffs.push(await diffOf(from, to));
    if (from === null) createdFiles.push(place.shown);
  }
  const sum = (count: (diff: Diff) => number) => diffs.reduce((total, diff) => total + count(diff), 0);
  return {
    kind: 'diff',
    text: cut(
      diffs
        .map(({ text }) => text)
        .filter((text) => text !== '')
        .join('\n'),
    ),
    added: sum(({ added }) => added),
    removed: sum(({ removed }) => removed),
    ...(createdFiles.length > 0 && { createdFiles }),
  };
}

type Diff = { text: string; added: number; removed: number };
type Side = { shown: string; text: string } | null;

async function diffOf(from: Side, to: Side): Promise<Diff> {
  const { formatPatch } = await import('diff');
  const [oldName, newName] = [from?.shown ?? '/dev/null', to?.shown ?? '/dev/null'];
  const [oldText, newText] = displayedPair(from?.text ?? null, to?.text ?? null);
  const patch = await structuredDiff([oldName, newName], [oldText, newText]);
  if (patch === null) return wholeDiff(oldName, newName, oldText, newText);
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  const isNamed = patch.hunks.length > 0 || oldName !== newName;
  return {
    text: isNamed ? formatPatch(patch) : '',
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  };
}

/** Line ends are left unsaid where all of them are and stay alike; else a change of them would be invisible. */
function displayedPair(old: string | null, fresh: string | null): [string, string] {
  const kept = old === null ? '\n' : lineEndsOf(old);
  const isKept = kept !== 'mixed' && (fresh === null || lineEndsOf(fresh) === kept);
  const [oldText = '', newText = ''] = [old, fresh].map((text) =>
    escapeInvisible(isKept ? withLineEnd(text ?? '', '\n') : (text ?? '')),
  );
  return [oldText, newText];
}

function lineEndsOf(text: string): ReturnType<typeof lineEndOf> | 'mixed' {
  const end = lineEndOf(text);
  return text === withLineEnd(text, end) ? end : 'mixed';
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

function wholeDiff(oldName: string, newName: string, before: string, after: string): Diff {
  const [removed, added] = [linesOf(before), linesOf(after)];
  const body = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('\n');
  const head = `--- ${oldName}\n+++ ${newName}\n@@ -1,${removed.length} +1,${added.length} @@\n`;
  return { text: head + body, added: added.length, removed: removed.length };
}

function cut(text: string): string {
  if (text.length <= longestPreview) return text;
  const end = text.lastIndexOf('\n', longestPreview);
  const rest = text.slice(end + 1).split('\n').length;
  return `${text.slice(0, end)}\n... [${rest} more lines of this diff are not shown] ...`;
}
