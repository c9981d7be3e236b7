/** A unified diff with its colours. */
import { exact } from '@pawl/engine/readers/visible';
import type { Style } from './style.ts';

/** What says no more than the line behind it. Lines of content begin with a sign, so that none can look so. */
const repeatedNames = /^(?:Index: (.*)\n)?={20,}\n(?=--- \1)/gm;

/** Every byte as it is: what is unusual is written out, and stands out; `tell` says more of each line's content. */
export function diffLines(text: string, style: Style, tell: (line: string) => string = (line) => line): string[] {
  return text
    .replace(repeatedNames, '')
    .replace(/\n$/, '')
    .split('\n')
    .map((line, index, lines) =>
      diffLine(line, !lines.slice(0, index).some((before) => before.startsWith('@@')), style, tell),
    );
}

/** Only before the first hunk is a line with three signs the name of a file; in one it is content. */
function diffLine(line: string, isHeader: boolean, style: Style, tell: (line: string) => string): string {
  const sign = exact(line.slice(0, 1), style.inverse);
  const safe = isHeader ? exact(line, style.inverse) : sign + tell(exact(line.slice(1), style.inverse));
  if (isHeader && (line.startsWith('+++') || line.startsWith('---'))) return style.bold(safe);
  if (line.startsWith('@@')) return style.cyan(safe);
  if (line.startsWith('+')) return style.green(safe);
  return line.startsWith('-') ? style.red(safe) : safe;
}
