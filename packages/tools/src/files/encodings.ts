/** How a text file's characters became bytes, so that an edit can put them back the same way. */
type Encoding = 'utf8' | 'utf8_bom' | 'utf16le' | 'utf16be';

export type DecodedText = { text: string; encoding: Encoding };

const marks: { encoding: Encoding; label: string; bytes: readonly number[] }[] = [
  { encoding: 'utf8_bom', label: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf16le', label: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf16be', label: 'utf-16be', bytes: [0xfe, 0xff] },
];

/** The text without its byte order mark, or null for bytes that no encoding we know can give back unchanged. */
export function decodeText(bytes: Uint8Array): DecodedText | null {
  const mark = marks.find((each) => each.bytes.every((byte, index) => bytes[index] === byte));
  try {
    const decoder = new TextDecoder(mark?.label ?? 'utf-8', { fatal: true, ignoreBOM: true });
    const text = decoder.decode(mark === undefined ? bytes : bytes.subarray(mark.bytes.length));
    return { text, encoding: mark?.encoding ?? 'utf8' };
  } catch {
    // What cannot be decoded is an answer here, not a fault.
    return null;
  }
}

export function encodeText({ text, encoding }: DecodedText): Buffer {
  const mark = marks.find((each) => each.encoding === encoding)?.bytes ?? [];
  const body =
    encoding === 'utf16le' || encoding === 'utf16be' ? Buffer.from(text, 'utf16le') : Buffer.from(text, 'utf8');
  if (encoding === 'utf16be') body.swap16();
  return Buffer.concat([Uint8Array.from(mark), body]);
}

/** Whether bytes look like no text at all. UTF-16 text has zero bytes too, but begins with a mark. */
export function isBinary(bytes: Uint8Array): boolean {
  const isMarked = marks.some((mark) => mark.bytes.every((byte, index) => bytes[index] === byte));
  return !isMarked && bytes.subarray(0, 8192).includes(0);
}

export type LineEnd = '\n' | '\r\n' | '\r';

/** The line end that most lines of a text have; `\r` only where there is no other, `\n` for a text of one line. */
export function lineEndOf(text: string): LineEnd {
  let windows = 0;
  let unix = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text[at - 1] === '\r') windows++;
    else unix++;
  }
  if (windows + unix === 0 && text.includes('\r')) return '\r';
  return windows > unix ? '\r\n' : '\n';
}

/** The text with one kind of line end throughout. A lone `\r` counts as one only in a text that has no other. */
export function withLineEnd(text: string, end: LineEnd): string {
  const plain = text.includes('\n') ? text.replaceAll('\r\n', '\n') : text.replaceAll('\r', '\n');
  return end === '\n' ? plain : plain.replaceAll('\n', end);
}
