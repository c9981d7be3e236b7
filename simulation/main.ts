/**
 * `npm run simulate -- --seeds 10000 [--from N]` runs that many worlds; `--seed S --trace` tells one of them in full.
 * Exit 1 if anything that must hold did not.
 */
import { parseArgs } from 'node:util';
import { runSeed } from './run-seed.ts';
import type { RunResult } from './world/world.ts';

const usage = 'Use: npm run simulate -- [--seeds COUNT] [--from SEED] | --seed SEED [--trace]';

function readOptions() {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
    },
  });
  const number = (text: string): number => {
    if (!/^[0-9]+$/.test(text)) throw new TypeError(`"${text}" is no number of seeds.`);
    return Number(text);
  };
  const first = number(values.seed ?? values.from);
  return { first, count: values.seed === undefined ? number(values.seeds) : 1, trace: values.trace };
}

/** How a run is told that failed: what was violated, and all that led to it. */
async function tell(result: RunResult): Promise<void> {
  const { trace } = await runSeed(result.seed, { trace: true });
  const { invariant, message } = result.violation ?? { invariant: 'none', message: '' };
  process.stderr.write(`\nseed ${result.seed} violates ${invariant}: ${message}\n`);
  process.stderr.write(`${trace.map((line) => `  ${line}`).join('\n')}\n`);
  process.stderr.write(`See it again with: npm run simulate -- --seed ${result.seed} --trace\n`);
}

async function main(): Promise<number> {
  const { first, count, trace } = readOptions();
  let passed = 0;
  let failed = 0;
  const begun = performance.now();
  let shown = begun;
  const progress = (end: string): void => {
    const rate = Math.round((1000 * (passed + failed)) / (performance.now() - begun));
    process.stderr.write(`${passed + failed} of ${count} seeds, ${failed} failed, ${rate} a second${end}`);
  };
  for (let seed = first; seed < first + count; seed++) {
    const result = await runSeed(seed, { trace });
    if (result.violation === null) passed += 1;
    else failed += 1;
    if (trace && result.violation === null) process.stderr.write(`${result.trace.join('\n')}\n`);
    // The first failures are told; more of them tell no more.
    if (result.violation !== null && failed <= 3) await tell(result);
    else if (result.violation !== null) process.stderr.write(`\nseed ${seed} violates ${result.violation.invariant}\n`);
    const isDue = performance.now() - shown > (process.stderr.isTTY ? 200 : 10_000);
    if (!isDue) continue;
    shown = performance.now();
    progress(process.stderr.isTTY ? '\r' : '\n');
  }
  if (count > 1) progress('\n');
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

try {
  // Worlds that were left as they stood may hold the process.
  process.exit(await main());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n${usage}\n`);
  process.exitCode = 2;
}
