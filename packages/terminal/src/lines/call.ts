/** The card of one call: what matters for its tool, and no more. */
import { mainArgument } from '@pawl/engine/readers/argument';
import { oneLine, visible } from '@pawl/engine/readers/visible';
import { durationText } from '@pawl/engine/readers/words';
import type { CallItem } from '../model/items.ts';
import { callText, toolLine } from '../text/tool-line.ts';
import { cutToWidth, textWidth } from '../text/width.ts';
import { wrapText } from '../text/wrap.ts';
import { changeLines } from './change-lines.ts';
import type { Look } from './look.ts';

/** Rows of what a command has put out last, while it runs. */
const liveRows = 4;
const mostDiffRows = 40;
const mostFailureRows = 10;

export function callLines(call: CallItem, look: Look): string[] {
  const { finished } = call;
  if (finished !== null) return overLines(call, finished, look);
  if (call.state === 'over') return [`${look.style.yellow('?')} ${cutToWidth(callText(call), look.columns - 2)}`];
  return [openTitle(call, look), ...liveLines(call, look)];
}

const states = { preparing: 'is being written', waiting: 'waits', running: '', over: '' } as const;

function openTitle({ tool, input, state, startedAt, done, total }: CallItem, { style, columns, now }: Look): string {
  const seconds = startedAt === null ? '' : durationText(Math.floor((now - startedAt) / 1000) * 1000);
  const share = done === null ? '' : total === null ? `${done}` : `${done}/${total}`;
  const time = state === 'running' && now - (startedAt ?? now) >= 1000 ? seconds : '';
  const tail = [states[state], share, time].filter((part) => part !== '').join(' ');
  const text = cutToWidth(`${oneLine(tool)} ${oneLine(mainArgument(input))}`.trimEnd(), columns - 4 - textWidth(tail));
  const [name = '', ...rest] = text.split(' ');
  const line = `${style.cyan('●')} ${style.bold(name)} ${rest.join(' ')}`.trimEnd();
  return tail === '' ? line : `${line}  ${style.dim(tail)}`;
}

function liveLines({ output }: CallItem, { style, columns }: Look): string[] {
  const rows = visible(output)
    .trimEnd()
    .split('\n')
    .filter((row) => row.trim() !== '');
  return rows
    .slice(-liveRows)
    .map((row) => `  ${style.dim(cutToWidth(`│ ${row.replaceAll('\t', '    ')}`, columns - 2))}`);
}

function overLines(call: CallItem, finished: NonNullable<CallItem['finished']>, look: Look): string[] {
  const { style, columns, isUnfolded } = look;
  const title = toolLine(call, finished, style, columns);
  const { status, content, details } = finished;
  const hasFailed = status === 'error' || (typeof details?.exitCode === 'number' && details.exitCode !== 0);
  const notice = typeof details?.notice === 'string' ? wrapText(visible(details.notice), columns - 2) : [];
  const noticed = notice.map((row, index) => (index === 0 ? `${style.yellow('●')} ${row}` : `  ${row}`));
  if (status === 'ok' && !hasFailed && call.preview?.kind === 'diff') {
    const rows = changeLines(call.preview.text, style, columns - 2);
    return [title, ...folded(rows, isUnfolded ? null : mostDiffRows, look), ...noticed];
  }
  const text = visible(content).trimEnd();
  if (isUnfolded) return [title, ...wrapText(text, columns - 2).map((row) => `  ${style.dim(row)}`), ...noticed];
  const rows = text.split('\n').filter((row) => row.trim() !== '');
  // One line stands beside the call already. The end of an output is where it says why.
  if (!hasFailed || rows.length < 2) return [title, ...noticed];
  const shown = rows
    .slice(-mostFailureRows)
    .map((row) => `  ${style.dim(cutToWidth(row.replaceAll('\t', '    '), columns - 2))}`);
  const left = rows.length - shown.length;
  const more = left > 0 ? [`  ${style.dim(`… ${left} lines before; Ctrl-O shows all`)}`] : [];
  return [title, ...more, ...shown, ...noticed];
}

function folded(rows: readonly string[], most: number | null, { style }: Look): string[] {
  const shown = most === null ? rows : rows.slice(0, most);
  const left = rows.length - shown.length;
  const more = left > 0 ? [style.dim(`… ${left} more lines; Ctrl-O shows all`)] : [];
  return [...shown, ...more].map((row) => `  ${row}`);
}
