import { byPath, type Match, plural } from './matches.ts';

/** A Markdown report of what a search found, grouped by file. */
export function matchReport(pattern: string, matches: readonly Match[], remarks: readonly string[]): string {
  const files = byPath(matches);
  const rows = files.map(([path, items]) => `| ${path} | ${items.length} |`);
  const sections = files.map(
    ([path, items]) =>
      `## ${path} (${items.length})\n\n${items.map(({ line, text }) => `- line ${line}: ${code(text)}`).join('\n')}`,
  );
  const summary =
    matches.length === 0
      ? `No line contains \`${pattern}\`.`
      : `${plural(matches.length, 'match', 'matches')} in ${plural(files.length, 'file')}.`;
  return [
    `# ${pattern} report`,
    summary,
    ...remarks.map((remark) => `Remark of the search: ${remark}`),
    ...(rows.length === 0 ? [] : [['| File | Matches |', '| --- | ---: |', ...rows].join('\n')]),
    ...sections,
  ]
    .join('\n\n')
    .concat('\n');
}

/** A Markdown list of files. */
export function listReport(title: string, paths: readonly string[]): string {
  return `# ${title}\n\n${plural(paths.length, 'file')}.\n\n${paths.map((path) => `- ${path}`).join('\n')}\n`;
}

/** A Markdown table of lines by file. */
export function lineReport(counts: readonly { path: string; lines: number }[]): string {
  const total = counts.reduce((sum, { lines }) => sum + lines, 0);
  const rows = counts.map(({ path, lines }) => `| ${path} | ${lines} |`);
  return `# Lines\n\n${['| File | Lines |', '| --- | ---: |', ...rows, `| **Total** | **${total}** |`].join('\n')}\n`;
}

/** What can be said of a text without understanding it. */
export function summaryOf(path: string, text: string, lines: number): string {
  const headings = [...text.matchAll(/^#{1,3} +(.+)$/gm)].map(([, heading = '']) => heading.trim());
  const names = [
    ...text.matchAll(/^(?:export )?(?:async )?(?:function\*?|class|const|type|interface|def|fn|func|struct) +(\w+)/gm),
  ].map(([, name = '']) => name);
  const isMarkdown = /\.(?:md|markdown|txt)$/i.test(path);
  const opening = text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .find((paragraph) => /^[A-Za-z0-9"'*_[(]/.test(paragraph) && paragraph.length > 20);
  const parts = [
    `${path} has ${plural(lines, 'line')} and ${plural(text.split(/\s+/).filter(Boolean).length, 'word')}.`,
  ];
  if (isMarkdown && headings.length > 0) parts.push(`Its sections: ${headings.slice(0, 12).join(', ')}.`);
  if (!isMarkdown && names.length > 0)
    parts.push(`It defines ${names.slice(0, 12).join(', ')}${names.length > 12 ? ' and more' : ''}.`);
  if (isMarkdown && opening !== undefined) parts.push(`It begins: “${opening.slice(0, 300)}”`);
  return parts.join(' ');
}

/** A line as inline code that its own backticks cannot end. */
function code(text: string): string {
  const line = text.trim().slice(0, 200);
  const fence = line.includes('`') ? '``' : '`';
  return `${fence}${fence === '``' ? ` ${line} ` : line}${fence}`;
}
