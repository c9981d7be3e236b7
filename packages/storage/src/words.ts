/** Scripts that write no spaces: each character counts as a word, so that any part of a text can be found. */
const unspaced = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`;
const word = new RegExp(`[${unspaced}]|(?:(?![${unspaced}])[\\p{L}\\p{N}])+`, 'gu');

/** The words of a text, for search: without case and accents, at the borders of letters and digits. */
export function wordsOf(text: string): string[] {
  const folded = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return folded.match(word) ?? [];
}
