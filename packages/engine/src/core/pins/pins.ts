/** What persons said that must not be forgotten, word for word: their corrections, and what else they said, while there is room. */
import type { State } from '../state.ts';
import { standingMarkers } from './markers.ts';
import type { Pin } from './state.ts';

/** By which what a person says is kept. */
export type PinRules = {
  /** Words of an instruction that stands. */
  markers: readonly RegExp[];
  /** Longer inputs are data as often as not: of these only the lines that instruct are kept. In characters. */
  longestWhole: number;
  longestLine: number;
  /** Of those, from the beginning and from the end, where instructions stand beside data. */
  maxLines: number;
  /** Plain inputs that are longer are not kept. In characters. */
  longestPlain: number;
};

const currentPinRules: PinRules = {
  markers: standingMarkers,
  longestWhole: 1500,
  longestLine: 400,
  maxLines: 10,
  longestPlain: 400,
};

type SaidText = { source: 'input' | 'context'; text: string; isSteering: boolean };

/** What is to be kept of an input, or of feedback, that is taken up. The first input is the task, and is kept as that. */
export function pinOf(
  { task }: Pick<State, 'task'>,
  { source, text, isSteering }: SaidText,
  rules = currentPinRules,
): Omit<Pin, 'seq'> | null {
  const said = text.trim();
  if (source === 'input' && task === null) return standingPin(said, rules);
  if ((source === 'context' && !isSteering) || said === '') return null;
  const isShort = said.length <= rules.longestWhole;
  if (isSteering || (isShort && isStanding(said, rules))) return { text: said, isCorrection: true };
  if (!isShort) return standingPin(said, rules);
  return said.length <= rules.longestPlain ? { text: said, isCorrection: false } : null;
}

/** Whether a text reads like an instruction that stands. */
export const isStanding = (text: string, { markers } = currentPinRules): boolean =>
  markers.some((marker) => marker.test(text));

/** The lines of a long text that read like instructions that stand. */
function standingPin(text: string, rules: PinRules): Omit<Pin, 'seq'> | null {
  if (text.length <= rules.longestWhole) return null;
  const { longestLine, maxLines } = rules;
  const lines = text
    .split('\n')
    .filter((line) => line.trim() !== '' && line.length <= longestLine && isStanding(line, rules));
  const some = lines.length <= 2 * maxLines ? lines : [...lines.slice(0, maxLines), ...lines.slice(-maxLines)];
  return some.length === 0 ? null : { text: some.join('\n'), isCorrection: true };
}

/** All pins together, in characters. */
const maxCharacters = 40_000;
/** A correction is not shortened below this. */
const shortestCorrection = 400;

/** The pins there is room for. The oldest plain ones go first; then the longest corrections are shortened. */
export function pinsWithinLimit(pins: readonly Pin[]): Pin[] {
  let excess = pins.reduce((sum, { text }) => sum + text.length, 0) - maxCharacters;
  let kept = pins.filter(({ isCorrection, text }) => {
    if (isCorrection || excess <= 0) return true;
    excess -= text.length;
    return false;
  });
  while (excess > 0) {
    const longest = kept.reduce<Pin | null>(
      (one, other) => (other.text.length > (one?.text.length ?? 0) ? other : one),
      null,
    );
    if (longest === null || longest.text.length <= shortestCorrection) break;
    const text = shortenMiddle(longest.text, Math.max(shortestCorrection, longest.text.length - excess - 1));
    excess -= longest.text.length - text.length;
    kept = kept.map((one) => (one === longest ? { ...one, text } : one));
  }
  return kept;
}

const gap = ' […] ';

/** The beginning and the end of it, in so many characters. */
export function shortenMiddle(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const half = Math.max(0, Math.floor((characters - gap.length) / 2));
  return `${text.slice(0, half).toWellFormed()}${gap}${half === 0 ? '' : text.slice(-half).toWellFormed()}`;
}
