/** What a reader of shell text finds in it. Two readers fill this in, and only what they agree on is certain. */

/** A piece of the text: from its first character to the one behind its last. */
export type Span = { from: number; to: number };

/** A simple command: what stands in front of it, its words. Redirects are listed by themselves. */
export type FoundCommand = {
  assignments: Span[];
  words: Span[];
  /** How many subshells, groups, conditions, loops and substitutions it stands in. */
  depth: number;
  /** The operator behind it; empty at the end of the text or of what it stands in. */
  next: string;
};

/** `for name in words`. */
type FoundLoop = { name: string; words: Span[]; at: number };

export type FoundRedirect = { operator: string; target: Span };

export type Found = {
  commands: FoundCommand[];
  redirects: FoundRedirect[];
  /** Variables that loops set, with what they are set to. */
  loops: FoundLoop[];
  /** Why something in the text is not certain, a few words each. */
  doubts: string[];
};

/** Which files a here-document or a redirect concerns is told elsewhere; here only what runs and what is opened. */
export function isSameReading(one: Found, other: Found): boolean {
  return signatureOf(one) === signatureOf(other);
}

function signatureOf({ commands, redirects }: Found): string {
  const spans = (list: readonly Span[]) => list.map(({ from, to }) => `${from}-${to}`);
  const entries = [
    ...commands.flatMap(({ assignments, words }) =>
      words.length === 0
        ? spans(assignments).map((span) => `=${span}`)
        : [`${spans(assignments).join(',')}:${spans(words).join(',')}`],
    ),
    ...redirects.map(({ operator, target }) => `${operator}${target.from}-${target.to}`),
  ];
  return entries.sort((left, right) => (left < right ? -1 : left > right ? 1 : 0)).join('\n');
}
