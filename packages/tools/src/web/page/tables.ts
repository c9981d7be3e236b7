import type TurndownService from 'turndown';

/** As much of an element as is used here. */
type Cell = {
  nodeName: string;
  parentNode: Cell | null;
  previousElementSibling: Cell | null;
  firstElementChild: Cell | null;
  nextElementSibling: Cell | null;
  querySelector(selector: string): Cell | null;
};

/** Tables of data as Markdown's; those that only arrange a page as lines of text. */
export function tables(service: TurndownService): void {
  const known = new WeakMap<Cell, boolean>();
  const isData = (element: Cell): boolean => {
    const table = closestTable(element);
    if (table === null) return false;
    const isKnown = known.get(table);
    if (isKnown !== undefined) return isKnown;
    const found = table.querySelector('th') !== null && table.querySelector('table, pre, ul, ol, blockquote') === null;
    known.set(table, found);
    return found;
  };
  service.addRule('tableCell', {
    filter: ['th', 'td'],
    replacement: (content, node) =>
      isData(node as Cell)
        ? ` ${content
            .trim()
            .replace(/\s*\n\s*/g, ' ')
            .replaceAll('|', '\\|')} |`
        : `${content.trim()} `,
  });
  service.addRule('tableRow', {
    filter: 'tr',
    replacement(content, node) {
      const row = node as Cell;
      if (content.trim() === '') return '';
      if (!isData(row)) return `\n${content.trim()}\n`;
      const divider = isFirstRow(row) ? `\n|${' --- |'.repeat(countCells(row))}` : '';
      return `\n|${content}${divider}`;
    },
  });
  service.addRule('table', {
    filter: 'table',
    replacement: (content) => `\n\n${content.replace(/\n{2,}/g, '\n').trim()}\n\n`,
  });
}

function closestTable(element: Cell): Cell | null {
  for (let at = element.parentNode; at !== null; at = at.parentNode) if (at.nodeName === 'TABLE') return at;
  return null;
}

function isFirstRow(row: Cell): boolean {
  const group = row.parentNode;
  if (row.previousElementSibling !== null) return false;
  if (group === null || group.nodeName === 'TABLE' || group.nodeName === 'THEAD') return true;
  return group.previousElementSibling === null || /^(?:CAPTION|COLGROUP)$/.test(group.previousElementSibling.nodeName);
}

function countCells(row: Cell): number {
  let count = 0;
  for (let cell = row.firstElementChild; cell !== null; cell = cell.nextElementSibling) count++;
  return count;
}
