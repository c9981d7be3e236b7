/** What persons said that must not be forgotten, word for word: their corrections, and what else they said, while there is room. */
import { standingMarkers } from './markers.ts';

export type Pin = {
  /** Number of the event that it comes from. */
  seq: number;
  text: string;
  /** It says how to work, or what was wrong. */
  isCorrection: boolean;
};

/** Inputs that are longer are data as often as not: of these only the lines that instruct are kept. */
const longestWhole = 1500;
const longestLine = 400;
/** Of those, from the beginning and from the end, where instructions stand beside data. */
const mostLines = 10;
/** Plain inputs that are longer are not kept. */
const longestPlain = 400;
/** All pins together, in characters. */
const mostCharacters = 40_000;
/** A correction is not shortened below this. */
const shortestCorrection = 400;

/** Whether a text reads like an instruction that stands. */
export function isStanding(text: string): boolean {
  return standingMarkers.some((marker) => marker.test(text));
}

/** What is to be kept of an input; null if nothing is. `isSteering`: it came to correct a turn that was running. */
export function pinOf(seq: number, text: string, isSteering: boolean): Pin | null {
  const said = text.trim();
  if (said === '') return null;
  if (isSteering || (said.length <= longestWhole && isStanding(said))) return { seq, text: said, isCorrection: true };
  if (said.length <= longestWhole) return said.length <= longestPlain ? { seq, text: said, isCorrection: false } : null;
  const lines = standingLines(said);
  return lines === '' ? null : { seq, text: lines, isCorrection: true };
}

/** The lines of a long text that read like instructions that stand. */
export function standingLines(text: string): string {
  if (text.length <= longestWhole) return '';
  const lines = text.split('\n').filter((line) => line.trim() !== '' && line.length <= longestLine && isStanding(line));
  const some = lines.length <= 2 * mostLines ? lines : [...lines.slice(0, mostLines), ...lines.slice(-mostLines)];
  return some.join('\n');
}

/** With one more. Where it gets too much, the oldest plain ones go first; then the longest corrections are shortened. */
export function withPin(pins: readonly Pin[], pin: Pin): Pin[] {
  let kept = [...pins.filter(({ text }) => text !== pin.text), pin];
  let excess = kept.reduce((sum, { text }) => sum + text.length, 0) - mostCharacters;
  kept = kept.filter(({ isCorrection, text }) => {
    if (isCorrection || excess <= 0) return true;
    excess -= text.length;
    return false;
  });
  while (excess > 0) {
    const longest = kept.reduce((one, other) => (other.text.length > one.text.length ? other : one), pin);
    if (longest.text.length <= shortestCorrection) break;
    const text = shortened(longest.text, Math.max(shortestCorrection, longest.text.length - excess - 1));
    excess -= longest.text.length - text.length;
    kept = kept.map((one) => (one === longest ? { ...one, text } : one));
  }
  return kept;
}

const gap = ' […] ';

/** The beginning and the end of it, in so many characters. */
export function shortened(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const half = Math.max(0, Math.floor((characters - gap.length) / 2));
  return `${text.slice(0, half).toWellFormed()}${gap}${half === 0 ? '' : text.slice(-half).toWellFormed()}`;
}
