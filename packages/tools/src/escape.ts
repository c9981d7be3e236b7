import { escapeInvisible } from '@pawl/engine/readers/escape';

export { escapeInvisible };

/** A name with every invisible character written out, also those that would break a line or a column. */
export function escapeName(name: string): string {
  return escapeInvisible(name).replaceAll('\n', '\\u{a}').replaceAll('\t', '\\u{9}');
}

const control = /(?![\t\n])\p{Cc}/gu;

const escapeByte = '\u001b';
/** Strings to the terminal (OSC, DCS, APC…) up to their end or the line's; CSI, as in colours; the short ones. */
const sequences = new RegExp(
  [
    `(?:${escapeByte}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007${escapeByte}\u009c\n]*(?:\u0007|${escapeByte}\\\\|\u009c)?`,
    `(?:${escapeByte}\\[|\u009b)[0-?]*[ -/]*[@-~]?`,
    `${escapeByte}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);

/**
 * Terminal output as plain text: without escape sequences (colours, cursor, titles, OSC 52 clipboard) and without
 * control characters but tab and line feed. A carriage return becomes a line break, so that nothing is overwritten.
 */
export function stripTerminal(text: string): string {
  if (text.search(control) < 0) return text;
  return text.replace(/\r+\n/g, '\n').replaceAll('\r', '\n').replace(sequences, '').replace(control, '');
}

/**
 * Characters that a reader does not see and a model reads all the same (the tag block), or that show text in another
 * order than it stands. The joiners stay: Persian, Hindi and many an emoji need them.
 */
const deceiving = /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069\u200b\u2060-\u2064\ufeff\u00ad]/gu;

/** Text without what acts on a terminal or hides from a person. Before it is put between tags: taking it out could make one. */
export function withoutDeceit(text: string): string {
  return stripTerminal(text).replace(deceiving, '');
}
