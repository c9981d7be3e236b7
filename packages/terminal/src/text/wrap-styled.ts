import { wrapTextWithAnsi } from '../pi-tui.ts';

/** A row that has colours already, in rows that fit. */
export const wrapStyled = (row: string, columns: number): string[] =>
  row === '' ? [''] : wrapTextWithAnsi(row.replaceAll('\t', '    '), columns);
