/** What a person is shown before they answer an approval. */
import { escapeInvisible } from '@pawl/engine/readers/escape';
import { exact, oneLine } from '@pawl/engine/readers/visible';
import type { PendingApproval } from '@pawl/protocol';
import { describeBlanks } from './blanks.ts';
import { diffLines } from './diff.ts';
import type { Style } from './style.ts';

/** Longer previews are shown up to here at first; `d` shows the rest. */
export const shownLines = 120;

/** Tool, what it would do, and who asks: exactly, byte by byte. */
export function questionLines(approval: PendingApproval, style: Style): string[] {
  const { tool, rule, reason, preview, approvers } = approval;
  const counts =
    preview?.added === undefined && preview?.removed === undefined
      ? ''
      : `  ${style.green(`+${preview.added ?? 0}`)} ${style.red(`−${preview.removed ?? 0}`)}`;
  const group = approvers === undefined ? '' : `  ${style.dim(`for ${oneLine(approvers.group)}`)}`;
  const title = `${style.yellow('?')} ${style.bold(oneLine(tool))} asks for approval${counts}  ${style.dim(`(${oneLine(rule)})`)}${group}`;
  const why = reason === undefined ? [] : [style.dim(oneLine(reason))];
  return [title, ...[...why, ...partLines(approval, style), ...body(approval, style)].map((line) => `  ${line}`)];
}

/** Of a call that touches several things: which of them need the answer, and which are allowed already. */
function partLines({ parts = [] }: PendingApproval, style: Style): string[] {
  return parts.map(({ text, verdict, rule }) => {
    const word = verdict === 'ask' ? style.yellow('asks') : style.green('allowed');
    const [first = '', ...rest] = exactLines(text, style);
    return `${word} ${[first, ...rest].join('⏎')}  ${style.dim(`(${oneLine(rule)})`)}`;
  });
}

function body({ input, preview }: PendingApproval, style: Style): string[] {
  if (preview?.kind === 'diff') {
    const told = (line: string) => describeBlanks(line, style.inverse);
    const lines = preview.text === '' ? [style.dim('No line would change.')] : diffLines(preview.text, style, told);
    return [...argumentLines(input, style, true), ...lines];
  }
  const shown = argumentLines(input, style, false);
  return preview === undefined ? shown : [...shown, ...exactLines(unsaid(preview.text, input), style)];
}

/** What a preview says beyond the arguments, whose texts it may end with, their unseen characters written out. */
function unsaid(text: string, input: PendingApproval['input']): string {
  const said = Object.values(input).flatMap((value) =>
    typeof value === 'string' ? [value, escapeInvisible(value)] : [],
  );
  const repeated = said.find((value) => text === value || text.endsWith(`\n${value}`));
  return repeated === undefined ? text : text.slice(0, -repeated.length).replace(/\n$/, '');
}

/** Each argument on lines of its own. Beside a diff the long ones are left out: the diff says it better. */
function argumentLines(input: PendingApproval['input'], style: Style, isBesideDiff: boolean): string[] {
  return Object.entries(input).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    if (isBesideDiff && (text.includes('\n') || text.length > 120)) return [];
    const [first = '', ...rest] = exactLines(text, style);
    const label = exact(name, style.inverse);
    return [`${style.dim(`${label}:`)} ${first}`, ...rest.map((line) => `${' '.repeat(name.length + 2)}${line}`)];
  });
}

/** Nothing of it can hide: neither what has no width nor what stands behind a screen of blanks. */
function exactLines(text: string, style: Style): string[] {
  if (text === '') return [];
  return text.split('\n').map((line) => describeBlanks(exact(line, style.inverse), style.inverse));
}
