/** Text from models, tools and files, made safe to show to a person. */

/**
 * What a terminal would obey or an eye cannot see: control characters but tab and line break, soft hyphens, marks that
 * turn the direction of text, zero-width ones, other line separators, tags, and halves of characters.
 * A zero-width joiner between two pictures stays: it makes one of them.
 */
const hidden =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200c\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\p{Cs}]|(?<!\p{Extended_Pictographic}[\u{fe0f}\u{1f3fb}-\u{1f3ff}]?)\u200d|\u200d(?!\p{Extended_Pictographic})|[\u{e0000}-\u{e0fff}]/gu;

/** The same and every joiner, for text that must be judged byte by byte. */
const unusual =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\p{Cs}]|[\u{e0000}-\u{e0fff}]/gu;

/** `\x1b`, `\u202e` or `\u{e0041}`. */
export function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** `text` with what would act on a terminal, or hide, written out. Line breaks and tabs stay; `\r\n` is a line break. */
export function visible(text: string, mark: (escape: string) => string = (escape) => escape): string {
  return text.replaceAll('\r\n', '\n').replace(hidden, (character) => mark(escapeOf(character)));
}

/** `text` exactly as its bytes are, for a person who must decide on it: nothing unusual is left as it looks. */
export function exact(text: string, mark: (escape: string) => string = (escape) => escape): string {
  return text.replace(unusual, (character) => mark(escapeOf(character)));
}

/** The same on one line. */
export function oneLine(text: string): string {
  return visible(text).replaceAll(/\s+/g, ' ').trim();
}
