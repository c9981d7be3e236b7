/** What every summary is divided into, in this order. */
export const headings = [
  'Goal',
  'Corrections and constraints',
  'Done so far',
  'State of the files',
  'Decisions',
  'Open questions',
  'Next steps',
  'Facts worth keeping',
] as const;

export type Heading = (typeof headings)[number];

/** The lines under each heading of a summary; headings that are missing have none. */
export function sectionsOf(summary: string): Map<Heading, string[]> {
  const sections = new Map<Heading, string[]>();
  let current: string[] | null = null;
  for (const line of summary.split('\n')) {
    const title = /^#{1,4}\s+(.+?)\s*:?\s*$/.exec(line)?.[1]?.toLowerCase();
    const heading = headings.find((one) => one.toLowerCase() === title);
    if (heading === undefined) current?.push(line);
    else {
      current = sections.get(heading) ?? [];
      sections.set(heading, current);
    }
  }
  return sections;
}
