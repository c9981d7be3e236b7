import { untrusted } from '@pawl/protocol';
import { stripTerminal } from '../escape.ts';

/**
 * Characters that a reader does not see and a model reads all the same (the tag block), or that show text in another
 * order than it stands. The joiners stay: Persian, Hindi and many an emoji need them.
 */
const deceiving = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069\u200b\u2060-\u2064\ufeff\u00ad]/gu;

/**
 * Bytes from outside, marked as such: between tags that they cannot forge, without what acts on a terminal or hides
 * from a person. `source` is a URL as the parser writes it.
 */
export function outsideText(source: string, text: string): string {
  // What deceives goes first, or taking it out could make a tag.
  const plain = stripTerminal(text).replace(deceiving, '');
  return untrusted('web', source, plain);
}
