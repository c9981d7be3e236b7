/** A table of results. Only the columns that are ratios are for keeping; times belong to one machine. */
export type Table = {
  title: string;
  columns: readonly Column[];
  rows: readonly Row[];
};
export type Column = { name: string; unit: 'ratio' | 'ms' | 'MiB' };
/** A cell is `null` where there is nothing to say. */
export type Row = { name: string; cells: readonly (number | null)[] };

const format = (value: number | null, unit: Column['unit']): string => {
  if (value === null || Number.isNaN(value)) return '–';
  return unit === 'MiB' ? value.toFixed(0) : value.toFixed(2);
};

/** In Markdown. `withTimes` adds the columns that are no ratios. */
export const renderTable = (table: Table, withTimes: boolean): string => {
  const kept = table.columns.flatMap((column, index) =>
    column.unit === 'ratio' || withTimes ? [{ ...column, index }] : [],
  );
  const heads = ['', ...kept.map(({ name, unit }) => (unit === 'ratio' ? name : `${name} (${unit})`))];
  const lines = table.rows.map((row) => [
    row.name,
    ...kept.map(({ index, unit }) => format(row.cells[index] ?? null, unit)),
  ]);
  const widths = heads.map((head, index) => Math.max(3, head.length, ...lines.map((line) => line[index]?.length ?? 0)));
  const pad = (text: string, index: number) =>
    index === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[index] ?? 0);
  const draw = (cells: readonly string[]) => `| ${cells.map(pad).join(' | ')} |`;
  const rule = `| ${widths.map((width, index) => (index === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`;
  return [`### ${table.title}`, '', draw(heads), rule, ...lines.map(draw), ''].join('\n');
};
