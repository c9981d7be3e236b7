/** Words of persons that a compaction keeps verbatim: corrections always, other inputs while there is room. */
import type { State } from '../state.ts';
import { standingMarkers } from './markers.ts';
import type { Pin } from './state.ts';

/** The rules by which an input becomes a pin. */
export type PinRules = {
  /** Words that mark a standing instruction. */
  markers: readonly RegExp[];
  /** Of longer inputs, which often hold data, only the lines that instruct are kept. In characters. */
  longestWhole: number;
  longestLine: number;
  /** Lines that are kept from the beginning and as many from the end, where instructions usually are. */
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

/** What to pin of an input or feedback that is taken. The first input is kept as the task instead. */
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

/** Whether a text reads like a standing instruction. */
export const isStanding = (text: string, { markers } = currentPinRules): boolean =>
  markers.some((marker) => marker.test(text));

/** Pins the lines of a long text that read like standing instructions. */
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

/** The pins that fit. The oldest plain ones are dropped first; then the longest corrections are shortened. */
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

/** Shortens a text to at most `characters`, keeping its beginning and its end. */
export function shortenMiddle(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const half = Math.max(0, Math.floor((characters - gap.length) / 2));
  return `${text.slice(0, half).toWellFormed()}${gap}${half === 0 ? '' : text.slice(-half).toWellFormed()}`;
}
