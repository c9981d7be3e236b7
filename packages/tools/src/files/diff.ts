/** The lines in which two texts differ. */
import type { StructuredPatch } from 'diff';

const contextLines = 3;
/** Differing lines beyond which a smallest diff is not looked for; its cost grows with their square. */
const maxDifferences = 2000;

/**
 * A unified diff of two texts, or null where they differ too much to look for the smallest. Only the stretch in which
 * they differ is compared line by line, so that the cost is that of the change and not of the file.
 */
export async function structuredDiff(
  names: readonly [old: string, fresh: string],
  [old, fresh]: readonly [string, string],
): Promise<StructuredPatch | null> {
  const { structuredPatch } = await import('diff');
  const window = differingStretch(old, fresh);
  const options = { context: contextLines, maxEditLength: maxDifferences };
  const [oldPart, freshPart] = [old.slice(window.start, window.oldEnd), fresh.slice(window.start, window.freshEnd)];
  const patch = structuredPatch(...names, oldPart, freshPart, undefined, undefined, options) ?? null;
  if (patch === null) return null;
  const hunks = patch.hunks.map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + window.linesBefore,
    newStart: hunk.newStart + window.linesBefore,
  }));
  return { ...patch, hunks };
}

type Stretch = { start: number; oldEnd: number; freshEnd: number; linesBefore: number };

/** From some lines before the first difference to some lines behind the last, in whole lines. */
function differingStretch(old: string, fresh: string): Stretch {
  const shorter = Math.min(old.length, fresh.length);
  let same = 0;
  while (same < shorter && old.charCodeAt(same) === fresh.charCodeAt(same)) same++;
  let start = same;
  // One line more than is shown: where the same lines repeat, a diff may begin a little earlier.
  for (let line = 0; line <= contextLines + 1 && start > 0; line++) start = old.lastIndexOf('\n', start - 1);
  start = start <= 0 ? 0 : start + 1;
  let tail = 0;
  while (tail < shorter - same && old.charCodeAt(old.length - 1 - tail) === fresh.charCodeAt(fresh.length - 1 - tail)) {
    tail++;
  }
  let oldEnd = old.length - tail;
  for (let line = 0; line <= contextLines + 1 && oldEnd >= 0; line++) {
    const at = old.indexOf('\n', oldEnd);
    oldEnd = at < 0 ? old.length : at + 1;
  }
  let linesBefore = 0;
  for (let at = old.indexOf('\n'); at >= 0 && at < start; at = old.indexOf('\n', at + 1)) linesBefore++;
  return { start, oldEnd, freshEnd: fresh.length - (old.length - oldEnd), linesBefore };
}
