/**
 * What takes longer than every change can wait for: `npm run soak -- <part> [--times N] [--seed S]`, or without a part all
 * of them. A part drives the real thing, with only the model faked; exit 1 if anything that must hold did not.
 */
import { parseArgs } from 'node:util';
import type { SoakPart } from './soak/part.ts';
import { seeds } from './soak/seeds.ts';
import { parallelShells } from './soak/shells.ts';
import { stops } from './soak/stops.ts';

const parts: readonly SoakPart[] = [stops, parallelShells, seeds];

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { times: { type: 'string' }, seed: { type: 'string', default: '1' } },
  });
  const unknown = positionals.find((name) => !parts.some((part) => part.name === name));
  if (unknown !== undefined) {
    const lines = parts.map(({ name, what, times }) => `  ${name}  ${what} (${times} times)`);
    process.stderr.write(`There is no part "${unknown}". There are:\n${lines.join('\n')}\n`);
    return 2;
  }
  let failed = 0;
  for (const part of parts) {
    if (positionals.length > 0 && !positionals.includes(part.name)) continue;
    const times = Number(values.times ?? part.times);
    const begun = performance.now();
    const failures = await part.run({
      times,
      seed: Number(values.seed),
      note: (line) => process.stderr.write(`${line}\n`),
    });
    const seconds = Math.round((performance.now() - begun) / 1000);
    for (const failure of failures) process.stdout.write(`${part.name}: ${failure}\n`);
    process.stdout.write(`${part.name}: ${times} times in ${seconds} s, ${failures.length} failed\n`);
    failed += failures.length;
  }
  return failed === 0 ? 0 : 1;
}

process.exit(await main());
