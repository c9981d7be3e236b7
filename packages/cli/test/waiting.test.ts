import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { node } from './pawl.ts';

const program = fileURLToPath(new URL('waiting-program.ts', import.meta.url));

/** Runs the program in a process of its own; what it said, and how it ended. */
function waitFor(what: string): Promise<{ said: string[]; code: number }> {
  return new Promise((resolve) => {
    execFile(node, [program, what], (error, stdout) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1;
      resolve({ said: stdout.trim().split('\n'), code });
    });
  });
}

describe('A program of the library that only waits (D6, scenario 60)', { timeout: 60_000 }, () => {
  it.each([
    ['approval', ['completed']],
    ['deadline', ['max_duration']],
    ['retry', ['completed']],
    ['task', ['completed', '2']],
    ['approval seen in events', ['completed']],
  ])('lives until what it waits for is there: %s', async (what, said) => {
    expect(await waitFor(what)).toEqual({ said, code: 0 });
  });

  it.each(['nobody waits', 'nothing is owed'])('ends when its own work has: %s', async (what) => {
    expect(await waitFor(what)).toEqual({ said: ['left'], code: 0 });
  });
});
