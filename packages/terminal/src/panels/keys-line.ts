import type { Style } from '../text/style.ts';
import { wrapText } from '../text/wrap.ts';

export type KeyHint = readonly [key: string, words: string];

/** `y once · n refuse`, in as many rows as it takes. */
export function keysLines(hints: readonly KeyHint[], columns: number, style: Style): string[] {
  // A key and its words stay together: the space between them is none until the rows are made.
  const text = hints.map(([key, words]) => `${key}\u00a0${words.replaceAll(' ', '\u00a0')}`).join(' · ');
  const keys = new Set(hints.map(([key]) => key));
  return wrapText(text, columns).map((row) =>
    row
      .split(' ')
      .map((part) => {
        const [key = '', ...words] = part.split('\u00a0');
        return keys.has(key) ? [style.bold(key), ...words].join(' ') : style.dim(part.replaceAll('\u00a0', ' '));
      })
      .join(' '),
  );
}
