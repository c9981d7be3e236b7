/**
 * Everything that has to hold before a change lands, in one command: `npm test`.
 * Runs every check even when an earlier one failed, and closes with one line that counts all of them.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Count = { passed: number; failed: number };
type Check = { name: string; command: string[]; count?: (isGood: boolean) => Count };

const folder = mkdtempSync(join(tmpdir(), 'pawl-check-'));
const report = join(folder, 'vitest.json');
const simulatorSeeds = 3000;

const checks: Check[] = [
  { name: 'parts of the system', command: ['node', 'scripts/system-parts.ts'] },
  { name: 'types', command: ['tsc', '--project', '.'] },
  { name: 'lint and format', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'dead code', command: ['knip'] },
  { name: 'layers', command: ['node', 'scripts/layers.ts'] },
  {
    name: 'tests',
    command: ['vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    count: countTests,
  },
  { name: 'what is published', command: ['node', 'scripts/published.ts'] },
  { name: 'simulator', command: ['node', 'simulation/main.ts', '--seeds', String(simulatorSeeds)] },
];

function countTests(isGood: boolean): Count {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, 'utf8'));
    return { passed: numPassedTests, failed: isGood ? 0 : Math.max(1, numFailedTests) };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

const total: Count = { passed: 0, failed: 0 };
const failures: string[] = [];
for (const { name, command, count } of checks) {
  console.log(`\n── ${name}: ${command.join(' ')}`);
  const begun = Date.now();
  const [program = '', ...args] = command;
  const { status } = spawnSync(program, args, { stdio: 'inherit' });
  const isGood = status === 0;
  const counted = count?.(isGood) ?? { passed: isGood ? 1 : 0, failed: isGood ? 0 : 1 };
  total.passed += counted.passed;
  total.failed += counted.failed;
  if (!isGood) failures.push(name);
  console.log(`── ${name}: ${isGood ? 'good' : 'FAILED'} after ${((Date.now() - begun) / 1000).toFixed(1)} s`);
}
rmSync(folder, { recursive: true, force: true });

if (failures.length > 0) console.log(`\nFailed: ${failures.join(', ')}.`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = failures.length > 0 ? 1 : 0;
