import type { Preview } from '@pawl/protocol';
import { escapeInvisible } from './escape.ts';

/** Longest diff that is kept in the log for showing, in characters. The counts are always of the whole. */
const longestPreview = 60_000;
/** Differing lines beyond which a smallest diff is not looked for; its cost grows with their square. */
const mostDifferences = 2000;

/** What a change of text looks like, with every invisible character made visible. Null stands for no file. */
export async function previewChange(shown: string, before: string | null, after: string): Promise<Preview> {
  const { structuredPatch, formatPatch } = await import('diff');
  const [oldText, newText] = [displayed(before ?? ''), displayed(after)];
  const patch =
    structuredPatch(before === null ? '/dev/null' : shown, shown, oldText, newText, undefined, undefined, {
      context: 3,
      maxEditLength: mostDifferences,
    }) ?? null;
  if (patch === null) return wholePreview(shown, oldText, newText);
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    kind: 'diff',
    text: cut(patch.hunks.length === 0 ? '' : formatPatch(patch)),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
    ...(before === null && { createdFiles: [shown] }),
  };
}

/** A change of line ends alone would be invisible, so a `\r` that ends a line is shown only where not every line has it. */
function displayed(text: string): string {
  const isWindows = text.includes('\r\n') && !/(?:^|[^\r])\n/.test(text);
  return escapeInvisible(isWindows ? text.replaceAll('\r\n', '\n') : text);
}

const linesOf = (text: string) => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

function wholePreview(shown: string, before: string, after: string): Preview {
  const [removed, added] = [linesOf(before), linesOf(after)];
  const body = [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('\n');
  const head = `--- ${shown}\n+++ ${shown}\n@@ -1,${removed.length} +1,${added.length} @@\n`;
  return { kind: 'diff', text: cut(head + body), added: added.length, removed: removed.length };
}

function cut(text: string): string {
  if (text.length <= longestPreview) return text;
  const end = text.lastIndexOf('\n', longestPreview);
  const rest = text.slice(end + 1).split('\n').length;
  return `${text.slice(0, end)}\n... [${rest} more lines of this diff are not shown] ...`;
}
