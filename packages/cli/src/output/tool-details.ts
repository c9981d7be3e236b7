/** What stands below the line of a finished call: why a command failed, what an edit changed. */
import { visible } from '@pawl/engine/readers/visible';
import type { EventData } from '@pawl/protocol';
import { diffLines } from '@pawl/terminal/text/diff';
import type { Style } from '@pawl/terminal/text/style';
import { cutToWidth } from '@pawl/terminal/text/width';

const maxDiffLines = 40;
const maxFailureLines = 10;

export type Details = {
  style: Style;
  columns: number;
  /** Shows all of it, of calls that went well too. */
  isVerbose: boolean;
  /** The change that was judged; null where a person has seen it already, or there is none. */
  diff: string | null;
};

export function toolDetails(finished: EventData['tool.finished'], details: Details): string[] {
  const { status, content } = finished;
  const { style, columns, isVerbose, diff } = details;
  const failed =
    status === 'error' || (typeof finished.details?.exitCode === 'number' && finished.details.exitCode !== 0);
  if (status === 'ok' && !failed && diff !== null)
    return within(diffLines(diff, style), isVerbose ? null : maxDiffLines);
  const lines = visible(content).trimEnd().split('\n');
  if (isVerbose) return lines.map((line) => `  ${style.dim(line)}`);
  // One line stands beside the call already.
  if (!failed || lines.length < 2) return [];
  // The end of an output is where it says why.
  const shown = lines.filter((line) => line.trim() !== '').slice(-maxFailureLines);
  return shown.map((line) => `  ${style.dim(cutToWidth(line.replaceAll('\t', '    '), columns - 2))}`);
}

function within(lines: readonly string[], most: number | null): string[] {
  const shown = most === null ? lines : lines.slice(0, most);
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`… and ${left} more lines`] : [])].map((line) => `  ${line}`);
}
