/**
 * Characters that act instead of showing: control characters but tab and line feed, marks that turn the direction of
 * text, and those without width.
 */
const invisible =
  /(?![\t\n])\p{Cc}|[\u{ad}\u{61c}\u{180e}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{2060}-\u{206f}\u{feff}\u{fff9}-\u{fffb}]|[\u{e0000}-\u{e007f}]/gu;

/** Text with every invisible character written as `\u{…}`, so that whoever approves it sees what is there. */
export function escapeInvisible(text: string): string {
  return text.replace(invisible, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
