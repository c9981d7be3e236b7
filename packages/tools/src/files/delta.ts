/**
 * What makes one content of another: where they differ, and both sides of that. It is as large as the change and not as
 * the file, and leads from either side to the other.
 */

/** The one stretch in which two contents differ, with both of its sides, behind a line that says how long they are. */
export function deltaOf(before: Buffer, after: Buffer): Buffer {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  const [old, fresh] = [before.subarray(start, before.length - end), after.subarray(start, after.length - end)];
  return Buffer.concat([Buffer.from(`pawl-delta ${start} ${old.length} ${fresh.length}\n`), old, fresh]);
}

/** The other side of a change, from one side of it; null for what is no such delta, or of another content. */
export function applyDelta(delta: Uint8Array, content: Buffer, direction: 'undo' | 'redo'): Buffer | null {
  const bytes = Buffer.from(delta.buffer, delta.byteOffset, delta.byteLength);
  const headEnd = bytes.indexOf('\n');
  const head = /^pawl-delta (\d+) (\d+) (\d+)$/.exec(bytes.subarray(0, Math.max(0, headEnd)).toString('latin1'));
  if (head === null) return null;
  const [start = 0, oldLength = 0, freshLength = 0] = head.slice(1).map(Number);
  const old = bytes.subarray(headEnd + 1, headEnd + 1 + oldLength);
  const fresh = bytes.subarray(headEnd + 1 + oldLength);
  if (fresh.length !== freshLength) return null;
  const [from, to] = direction === 'undo' ? [fresh, old] : [old, fresh];
  if (!content.subarray(start, start + from.length).equals(from)) return null;
  return Buffer.concat([content.subarray(0, start), to, content.subarray(start + from.length)]);
}
