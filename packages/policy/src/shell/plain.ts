import { reservedWords } from './words-of-shell.ts';

/**
 * The only characters of a command that needs no grammar. All of them are literal to bash wherever they stand, with
 * one exception, `=` in the first word, which `plainWords` refuses. Not among them: everything that separates, expands,
 * quotes, redirects or comments, tabs and line breaks, and all bytes outside ASCII, some of which some versions of
 * bash take for blanks.
 */
const plainCommand = /^[A-Za-z0-9_./:,@%+= -]+$/;

/** The words of a command that has no shell syntax at all, or null for any other. */
export function plainWords(command: string): string[] | null {
  const text = command.replace(/^ +| +$/g, '');
  if (text === '' || !plainCommand.test(text)) return null;
  const words = text.split(/ +/);
  const [name = ''] = words;
  return name.includes('=') || reservedWords.has(name) ? null : words;
}
