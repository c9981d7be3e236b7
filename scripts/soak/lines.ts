/**
 * Generated command lines: those that need no question are run for real under strace, and may write, run, reach and
 * read nothing that a harmless line does not.
 */
import { missingForReally, runReally } from '../../packages/policy/test/soak/really.ts';
import type { SoakOptions, SoakPart } from './part.ts';

/** Lines that are made and run together; each bundle has a seed of its own. */
const linesOfOneBundle = 20_000;

export const lines: SoakPart = {
  name: 'lines',
  what: 'generated command lines that need no question, run for real',
  times: 1_000_000,
  run: runLines,
};

async function runLines({ times, seed, note }: SoakOptions): Promise<readonly string[]> {
  const missing = missingForReally();
  if (missing !== null) return [missing];
  const failures: string[] = [];
  let harmless = 0;
  for (let done = 0; done < times; done += linesOfOneBundle) {
    const own = seed + done / linesOfOneBundle;
    const found = await runReally({ lines: Math.min(linesOfOneBundle, times - done), seed: own });
    harmless += found.harmless;
    failures.push(...found.violations.map((each) => `seed ${own}, ${each}`));
    if (done === 0 && found.missing.length > 0) note(`not tried, because not there: ${found.missing.join(', ')}`);
    note(`${Math.min(done + linesOfOneBundle, times)} lines, ${harmless} of them run, ${failures.length} failed`);
  }
  return failures;
}
