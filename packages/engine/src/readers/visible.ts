/** Text from models, tools and files, made safe to show to a person. */

/**
 * What a terminal would obey or an eye cannot see: control characters but tab and line break, marks that turn the
 * direction of text, zero-width ones, other line separators, tags, and halves of characters.
 */
const unseen = String.raw`(?![\t\n])[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{fff9}-\u{fffb}]`;
/** Scripts that are written wrongly without joiners between their letters. */
const joining = [
  'Arabic',
  'Syriac',
  'Devanagari',
  'Bengali',
  'Gujarati',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
];
const letter = `[${joining.map((script) => String.raw`\p{Script=${script}}`).join('')}]`;
/** Those that make what they stand in: joiners of letters and of pictures, and the choice of a picture's form. */
const needed = [
  String.raw`(?<=${letter})[\u200c\u200d](?=${letter})`,
  String.raw`(?<=\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?)\u200d(?=\p{Extended_Pictographic})`,
  String.raw`(?<=\p{Emoji})[\ufe0e\ufe0f]`,
].join('|');
const hidden = new RegExp(`(?!${needed})${unseen}`, 'gu');

/** All of the unseen, and spaces that only look like one, for text that must be judged byte by byte. */
const unusual = new RegExp(String.raw`${unseen}|(?! )\p{Zs}`, 'gu');

/** `\x1b`, `\u202e` or `\u{e0041}`. */
export function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`;
}

/** `text` with what would act on a terminal, or hide, written out. Line breaks and tabs stay; `\r\n` is a line break. */
export function visible(text: string, mark: (escaped: string) => string = (escaped) => escaped): string {
  return text.replaceAll('\r\n', '\n').replace(hidden, (character) => mark(escapeOf(character)));
}

/** `text` exactly as its bytes are, for a person who must decide on it: nothing unusual is left as it looks. */
export function exact(text: string, mark: (escaped: string) => string = (escaped) => escaped): string {
  return text.replace(unusual, (character) => mark(escapeOf(character)));
}

/** The same on one line. */
export function oneLine(text: string): string {
  return visible(text).replaceAll(/\s+/g, ' ').trim();
}
