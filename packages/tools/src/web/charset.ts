/** How far a page is looked through for the encoding it declares, bytes. Browsers stop after 1024. */
const prescanBytes = 4096;

const marks: readonly (readonly [label: string, bytes: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/**
 * A page's text. What counts, in this order: its byte order mark, the encoding in the header, the one that it declares
 * itself, UTF-8 if it is that, and the west of Europe's. Source: https://html.spec.whatwg.org/#determining-the-character-encoding.
 */
export function decodePage(bytes: Uint8Array, contentType: string): string {
  const marked = marks.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte));
  const label =
    marked?.[0] ??
    supportedEncoding(parameterOf(contentType)) ??
    declaredEncoding(bytes) ??
    (isUtf8(bytes) ? 'utf-8' : 'windows-1252');
  return new TextDecoder(label).decode(bytes);
}

const parameterOf = (contentType: string) => /;\s*charset\s*=\s*["']?([^\s;"']{1,40})/i.exec(contentType)?.[1];

function declaredEncoding(bytes: Uint8Array): string | null {
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, prescanBytes));
  const label =
    /<meta\s[^>]{0,500}?charset\s*=\s*["']?\s*([\w.:-]{1,40})/i.exec(start)?.[1] ??
    /^<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})/i.exec(start)?.[1];
  // Whoever could read that it says UTF-16 read it as something else.
  return supportedEncoding(label)?.replace(/^utf-16..$/, 'utf-8') ?? null;
}

/** The encoding's own name, or null for one that nobody knows. */
function supportedEncoding(label: string | undefined): string | null {
  if (label === undefined) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    // An unknown name is an answer here, not a fault.
    return null;
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
