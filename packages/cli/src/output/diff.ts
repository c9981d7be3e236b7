/** A unified diff with its colours. */
import { exact } from '@pawl/engine/readers/visible';
import type { Style } from './style.ts';

/** Every byte as it is: what is unusual is written out, and stands out. */
export function diffLines(text: string, style: Style): string[] {
  return text
    .replace(/^={20,}\n/, '')
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => diffLine(line, style));
}

function diffLine(line: string, style: Style): string {
  const safe = exact(line, style.inverse);
  if (line.startsWith('+++') || line.startsWith('---')) return style.bold(safe);
  if (line.startsWith('@@')) return style.cyan(safe);
  if (line.startsWith('+')) return style.green(safe);
  return line.startsWith('-') ? style.red(safe) : safe;
}
