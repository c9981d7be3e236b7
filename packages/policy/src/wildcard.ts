/**
 * The one wildcard algorithm, over characters of a name and over segments of a path alike. Linear in memory and at
 * worst the product of both lengths in time, so that no pattern and no input can make it hang, as a regular
 * expression could.
 */

/** Whether `pattern` covers all of `input`; an element that `isStar` stands for any number of elements. */
export function matchesSequence<Pattern, Element>(
  pattern: readonly Pattern[],
  input: readonly Element[],
  isStar: (element: Pattern) => boolean,
  matchesOne: (element: Pattern, input: Element) => boolean,
): boolean {
  let at = 0;
  let place = 0;
  let starPlace = -1;
  let starAt = 0;
  while (at < input.length) {
    const expected = pattern[place];
    if (place < pattern.length && expected !== undefined && isStar(expected)) {
      starPlace = place++;
      starAt = at;
    } else if (expected !== undefined && matchesOne(expected, input[at] as Element)) {
      place++;
      at++;
    } else if (starPlace >= 0) {
      place = starPlace + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  while (place < pattern.length && isStar(pattern[place] as Pattern)) place++;
  return place === pattern.length;
}

type Token = 'any' | 'one' | { literal: string };

/** Characters of a pattern: `*` any number, `?` one where `hasOne`, `\` makes the next one literal. */
function tokensOf(pattern: string, hasOne: boolean): Token[] {
  const tokens: Token[] = [];
  const characters = Array.from(pattern);
  for (let index = 0; index < characters.length; index++) {
    const character = characters[index] as string;
    if (character === '*') tokens.push('any');
    else if (character === '?' && hasOne) tokens.push('one');
    else if (character === '\\' && index + 1 < characters.length)
      tokens.push({ literal: characters[++index] as string });
    else tokens.push({ literal: character });
  }
  return tokens;
}

const isPlain = (pattern: string) => !/[*?\\]/.test(pattern);

/** Whether the pattern covers the whole text. `*` stands for any characters, `?` for one, `\` for the next one itself. */
export function matchesText(pattern: string, text: string, options: { hasOne: boolean } = { hasOne: true }): boolean {
  return textMatcher(pattern, options)(text);
}

/** The same for many texts: the pattern is read once. */
export function textMatcher(pattern: string, { hasOne } = { hasOne: true }): (text: string) => boolean {
  if (isPlain(pattern)) return (text) => pattern === text;
  const tokens = tokensOf(pattern, hasOne);
  // Most texts differ at one end already.
  const [start = '', ...rest] = pattern.split(/[*?\\]/);
  const end = pattern.includes('\\') ? '' : (rest.at(-1) ?? '');
  return (text) =>
    text.startsWith(start) &&
    text.endsWith(end) &&
    matchesSequence(
      tokens,
      Array.from(text),
      (token) => token === 'any',
      (token, character) => token === 'one' || (typeof token === 'object' && token.literal === character),
    );
}

/** The pattern that covers exactly this text. */
export function escapePattern(text: string): string {
  return isPlain(text) ? text : text.replace(/[\\*?]/g, '\\$&');
}
