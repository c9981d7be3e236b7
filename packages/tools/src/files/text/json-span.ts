/** Where in the text of a JSON document a value stands, so that it can be replaced and all else left as it was written. */

export type Span = { start: number; end: number };

/** The place of the value at a path of keys and indexes, in a text that is valid JSON; null if there is none. */
export function memberSpan(text: string, path: readonly (string | number)[]): Span | null {
  let at = skipSpace(text, 0);
  for (const step of path) {
    const found = typeof step === 'number' ? elementAt(text, at, step) : memberAt(text, at, step);
    if (found === null) return null;
    at = found;
  }
  return { start: at, end: endOf(text, at) };
}

function skipSpace(text: string, at: number): number {
  while (/\s/.test(text.charAt(at))) at++;
  return at;
}

/** The end of the value that begins at `at`. */
function endOf(text: string, at: number): number {
  const first = text[at];
  if (first === '"') return endOfString(text, at);
  if (first !== '{' && first !== '[') {
    while (at < text.length && !/[\s,\]}]/.test(text.charAt(at))) at++;
    return at;
  }
  let depth = 0;
  while (at < text.length) {
    const character = text[at];
    if (character === '"') {
      at = endOfString(text, at);
      continue;
    }
    if (character === '{' || character === '[') depth++;
    if (character === '}' || character === ']') depth--;
    at++;
    if (depth === 0) break;
  }
  return at;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function elementAt(text: string, list: number, index: number): number | null {
  if (text[list] !== '[') return null;
  let at = skipSpace(text, list + 1);
  for (let count = 0; text[at] !== ']' && at < text.length; count++) {
    if (count === index) return at;
    at = skipSpace(text, endOf(text, at));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return null;
}

/** Of a key that stands there twice, the last, as readers of JSON take it. */
function memberAt(text: string, object: number, key: string): number | null {
  if (text[object] !== '{') return null;
  let found: number | null = null;
  let at = skipSpace(text, object + 1);
  while (text[at] === '"') {
    const end = endOfString(text, at);
    const name: unknown = JSON.parse(text.slice(at, end));
    // Over the colon.
    const value = skipSpace(text, skipSpace(text, end) + 1);
    if (name === key) found = value;
    at = skipSpace(text, endOf(text, value));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return found;
}
