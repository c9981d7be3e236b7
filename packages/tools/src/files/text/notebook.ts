/** Jupyter notebooks: JSON files that people and models think of as cells. */
import { PawlError } from '@pawl/protocol';
import { explainMany, explainMiss, nothingSimilar } from './explain.ts';
import { memberSpan } from './json-span.ts';
import { occurrences, type Replacement, replaceText } from './replace.ts';

type Cell = { id: string | null; kind: string; source: string; outputs: string };

export const isNotebook = (path: string) => /\.ipynb$/i.test(path);

/** What its outputs show of one image or a long text would cost more than it tells. */
const longestOutput = 2000;

/** The cells, or null for a text that is no notebook. */
function readCells(text: string): Cell[] | null {
  try {
    const { cells } = JSON.parse(text);
    if (!Array.isArray(cells)) return null;
    return cells.map((cell) => ({
      id: typeof cell?.id === 'string' ? cell.id : null,
      kind: String(cell?.cell_type ?? 'unknown'),
      source: joined(cell?.source),
      outputs: outputsOf(cell?.outputs),
    }));
  } catch {
    // What is no JSON is shown and edited as the text it is.
    return null;
  }
}

/** Texts stand in notebooks whole or as a list of lines. */
function joined(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join('') : '';
}

function outputsOf(outputs: unknown): string {
  if (!Array.isArray(outputs)) return '';
  const text = outputs
    .map(outputText)
    .filter((each) => each !== '')
    .join('\n');
  return text.length > longestOutput ? `${text.slice(0, longestOutput)}… (${text.length} characters)` : text;
}

function outputText(output: unknown): string {
  if (typeof output !== 'object' || output === null) return '';
  const { text, data, ename, evalue } = output as { [key: string]: unknown };
  if (typeof ename === 'string') return `${ename}: ${joined(evalue)}`;
  if (text !== undefined) return joined(text).trimEnd();
  const kinds = typeof data === 'object' && data !== null ? (data as { [kind: string]: unknown }) : {};
  const plain = joined(kinds['text/plain']).trimEnd();
  const others = Object.keys(kinds).filter((kind) => kind !== 'text/plain');
  return [...(plain === '' ? [] : [plain]), ...others.map((kind) => `(${kind})`)].join(' ');
}

/** A notebook as text to read: each cell with its number, kind and outputs. Null for a text that is none. */
export function notebookText(text: string): string | null {
  const cells = readCells(text);
  if (cells === null) return null;
  return cells
    .map(({ id, kind, source, outputs }, index) => {
      const head = `=== cell ${index + 1}: ${kind}${id === null ? '' : ` ${id}`}`;
      return [head, source, ...(outputs === '' ? [] : ['--- output', outputs])].join('\n');
    })
    .join('\n');
}

/**
 * Replaces a text in the sources of the cells, and not one byte of the file besides. What is in no source is looked for
 * in the file as it is, which must then stay a notebook.
 * @throws as `replaceText`; `bad_notebook`.
 */
export function replaceInNotebook(text: string, replacement: Replacement, shown: string): string {
  const cells = readCells(text);
  if (cells === null) return replaceText(text, replacement, shown);
  const old = replacement.old.replaceAll('\r\n', '\n');
  const counts = cells.map(({ source }) => (old === '' ? 0 : occurrences(source, old).length));
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return replaceAround(text, replacement, cells, shown);
  if (total > 1 && replacement.all !== true) throw new PawlError('many_matches', tooMany(cells, counts, old, shown));
  // From the last on, so that the places of those before stay true.
  let changed = text;
  for (const [index, cell] of [...cells.entries()].reverse()) {
    if ((counts[index] ?? 0) === 0) continue;
    changed = withSource(changed, index, replaceText(cell.source, { ...replacement, all: true }, shown), shown);
  }
  return changed;
}

function tooMany(cells: readonly Cell[], counts: readonly number[], old: string, shown: string): string {
  const several = counts.flatMap((count, index) => (count > 0 ? [index] : []));
  const [only] = several;
  if (several.length === 1 && only !== undefined) {
    const { source } = cells[only] as Cell;
    return explainMany(source, occurrences(source, old), `cell ${only + 1} of ${shown}`);
  }
  const total = counts.reduce((sum, count) => sum + count, 0);
  return `old occurs ${total} times in ${shown}, in cells ${several.map((index) => index + 1).join(', ')}. Add lines around it until it occurs once, or set all.`;
}

function replaceAround(text: string, replacement: Replacement, cells: readonly Cell[], shown: string): string {
  if (replacement.old === '' || occurrences(text, replacement.old).length === 0) {
    if (replacement.old === '') throw new PawlError('no_match', 'old is empty. Give the text to replace.');
    throw new PawlError('no_match', explainMissInCells(cells, replacement, shown));
  }
  const changed = replaceText(text, replacement, shown);
  if (readCells(changed) === null) {
    throw new PawlError(
      'bad_notebook',
      `old stands outside of the cells' sources, and with new ${shown} would be no notebook any more. Nothing was changed.`,
    );
  }
  return changed;
}

function explainMissInCells(cells: readonly Cell[], replacement: Replacement, shown: string): string {
  const reasons = cells.map(({ source }, index) => explainMiss(source, replacement, `cell ${index + 1} of ${shown}`));
  return (
    reasons.find((reason) => !reason.includes(nothingSimilar)) ??
    `old does not occur in the cells of ${shown}. ${nothingSimilar}`
  );
}

/** The file with the source of one cell replaced, spelled as it was: whole, or as a list of lines. */
function withSource(text: string, cell: number, source: string, shown: string): string {
  const span = memberSpan(text, ['cells', cell, 'source']);
  if (span === null)
    throw new PawlError('bad_notebook', `Cell ${cell + 1} of ${shown} could not be found in the file.`);
  const former = text.slice(span.start, span.end);
  return text.slice(0, span.start) + sourceLike(former, source) + text.slice(span.end);
}

function sourceLike(former: string, source: string): string {
  if (!former.startsWith('[')) return JSON.stringify(source);
  const lines = source.split(/(?<=\n)/).filter((line) => line !== '');
  if (lines.length === 0) return '[]';
  const inner = /^\[(\s*)/.exec(former)?.[1] ?? '';
  const outer = /(\s*)\]$/.exec(former)?.[1] ?? '';
  // A list that was empty has no indentation to take over; one line each as Jupyter writes it would not matter to it.
  const separator = inner.includes('\n') ? `,${inner}` : ', ';
  return `[${inner}${lines.map((line) => JSON.stringify(line)).join(separator)}${outer}]`;
}
