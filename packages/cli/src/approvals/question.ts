/** What a person is shown before they answer an approval. */
import { exact, oneLine } from '@pawl/engine/readers/visible';
import type { PendingApproval } from '@pawl/protocol';
import { diffLines } from '../output/diff.ts';
import type { Style } from '../output/style.ts';

/** Longer previews are shown up to here at first; `d` shows the rest. */
export const shownLines = 120;

/** Tool, what it would do, and who asks: exactly, byte by byte. */
export function questionLines(approval: PendingApproval, style: Style): string[] {
  const { tool, rule, preview } = approval;
  const counts =
    preview?.added === undefined && preview?.removed === undefined
      ? ''
      : `  ${style.green(`+${preview.added ?? 0}`)} ${style.red(`−${preview.removed ?? 0}`)}`;
  const title = `${style.yellow('?')} ${style.bold(oneLine(tool))} asks for approval${counts}  ${style.dim(`(${oneLine(rule)})`)}`;
  return [title, ...body(approval, style).map((line) => `  ${line}`)];
}

function body({ input, preview }: PendingApproval, style: Style): string[] {
  if (preview?.kind === 'diff') return [...argumentLines(input, style, true), ...diffLines(preview.text, style)];
  const shown = argumentLines(input, style, false);
  const isSaid = preview === undefined || Object.values(input).includes(preview.text);
  return isSaid ? shown : [...shown, ...exact(preview.text, style.inverse).split('\n')];
}

/** Each argument on lines of its own. Beside a diff the long ones are left out: the diff says it better. */
function argumentLines(input: PendingApproval['input'], style: Style, isBesideDiff: boolean): string[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (isBesideDiff && (text.includes('\n') || text.length > 120)) return [];
    const [first = '', ...rest] = exact(text, style.inverse).split('\n');
    const label = exact(name, style.inverse);
    return [`${style.dim(`${label}:`)} ${first}`, ...rest.map((line) => `${' '.repeat(name.length + 2)}${line}`)];
  });
}

export function leftText(expiresAt: number | null, now: number): string {
  if (expiresAt === null) return '';
  const seconds = Math.max(0, Math.ceil((expiresAt - now) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
