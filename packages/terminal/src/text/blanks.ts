/** Blanks that would hide something: counts by their number. Text here is `exact` already. */

/** Runs of blanks inside a line from here on are counts; shorter ones are how people line things up. */
const longestPlain = 16;
/** Blanks that a line may begin with: deep code does. */
const longestIndent = 40;

/**
 * One line with its long runs of blanks written out, and those at its end, where nobody sees them:
 * `rm a` and a screen of spaces before `; rm b` cannot look like `rm a`. The line keeps what it says otherwise.
 */
export function describeBlanks(line: string, mark: (counts: string) => string): string {
  return line.replace(/[ \t]+/g, (run: string, at: number) => {
    const isEnd = at + run.length === line.length;
    const isStart = at === 0;
    if (isEnd && line.length > run.length) return mark(countOf(run));
    const most = isStart ? longestIndent : longestPlain;
    return run.length > most ? mark(countOf(run)) : run;
  });
}

/** In their order: `<2 spaces, 1 tab>`. */
function countOf(run: string): string {
  const runs = run.match(/ +|\t+/g) ?? [];
  const counts = runs.map((same) => {
    const name = same.startsWith(' ') ? 'space' : 'tab';
    return `${same.length} ${same.length === 1 ? name : `${name}s`}`;
  });
  return `<${counts.join(', ')}>`;
}
