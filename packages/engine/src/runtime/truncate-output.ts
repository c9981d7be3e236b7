/** Truncates a tool's output to what a model should read at once. Pure. */

const maxBytes = 50_000;
const maxLines = 600;
const headLines = 200;
const tailLines = 200;
/** No result is longer than this, not even an error. */
const hardCapBytes = 65_536;
/** Bytes left free for the marker and for a line on where the whole can be read. */
const roomForNotes = 512;

export type TruncatedOutput = {
  /** For the model. */
  content: string;
  /** Whether something was left out, so that the whole should be kept elsewhere. */
  isTruncated: boolean;
  /** For clients. Bytes and lines of the whole; `head_tail` kept lines from both ends, `bytes` characters from both. */
  details: { outputBytes: number; outputLines: number; truncation: 'none' | 'head_tail' | 'bytes' };
};

const countLines = (text: string) => {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
};

/**
 * The output as the model sees it. Over 600 lines, the first and the last 200 remain; over 50 000 bytes even so, the
 * beginning and the end by bytes, cut between characters and, where one is near, between lines. An error stays whole
 * up to 64 KiB. A marker in between counts what is missing.
 */
export function truncateOutput(text: string, options: { isError?: boolean } = {}): TruncatedOutput {
  const outputBytes = Buffer.byteLength(text);
  const outputLines = countLines(text);
  const shaped = (truncation: TruncatedOutput['details']['truncation'], content: string) => ({
    content,
    isTruncated: truncation !== 'none',
    details: { outputBytes, outputLines, truncation },
  });
  const limit = options.isError ? hardCapBytes : maxBytes;
  const hasManyLines = !options.isError && outputLines > maxLines;
  if (outputBytes <= limit && !hasManyLines) return shaped('none', text);

  const join = (head: string, tail: string) => {
    const lines = Math.max(0, outputLines - countLines(head) - countLines(tail));
    const bytes = outputBytes - Buffer.byteLength(head) - Buffer.byteLength(tail);
    return `${head}${head.endsWith('\n') ? '' : '\n'}... [${lines} lines / ${bytes} bytes omitted] ...\n${tail}`;
  };
  if (hasManyLines) {
    const head = text.slice(0, afterLine(text, headLines));
    const tail = text.slice(beforeLastLines(text, tailLines));
    if (Buffer.byteLength(head) + Buffer.byteLength(tail) <= maxBytes) return shaped('head_tail', join(head, tail));
  }
  const half = (limit - roomForNotes) / 2;
  return shaped('bytes', join(headOf(text, half), tailOf(text, half)));
}

/** The place behind the first `count` lines. */
function afterLine(text: string, count: number): number {
  let at = 0;
  for (let line = 0; line < count; line++) at = text.indexOf('\n', at) + 1;
  return at;
}

/** The place where the last `count` lines begin. */
function beforeLastLines(text: string, count: number): number {
  let at = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let line = 0; line < count; line++) at = text.lastIndexOf('\n', at - 1);
  return at + 1;
}

const isInsidePair = (text: string, at: number) =>
  /[\udc00-\udfff]/.test(text[at] ?? '') && /[\ud800-\udbff]/.test(text[at - 1] ?? '');

/** At most `limit` bytes from the start; a line break in the last tenth is a better place to end. */
function headOf(text: string, limit: number): string {
  let length = Math.min(text.length, limit);
  while (Buffer.byteLength(text.slice(0, length)) > limit)
    length -= Math.max(1, Math.ceil((Buffer.byteLength(text.slice(0, length)) - limit) / 3));
  if (isInsidePair(text, length)) length--;
  const line = text.lastIndexOf('\n', length - 1) + 1;
  return text.slice(0, line > length * 0.9 ? line : length);
}

/** At most `limit` bytes from the end; a line break in the first tenth is a better place to begin. */
function tailOf(text: string, limit: number): string {
  let start = Math.max(0, text.length - limit);
  while (Buffer.byteLength(text.slice(start)) > limit)
    start += Math.max(1, Math.ceil((Buffer.byteLength(text.slice(start)) - limit) / 3));
  if (isInsidePair(text, start)) start++;
  const line = text.indexOf('\n', start) + 1;
  return text.slice(line > 0 && line < start + (text.length - start) * 0.1 ? line : start);
}
