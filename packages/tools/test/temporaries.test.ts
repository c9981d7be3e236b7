import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { createTemporaries, sweepTemporaries } from '../src/sandbox/temporaries.ts';
import { temporaryFolder } from './workspace.ts';

it('P10: the temporary folders of a process that was killed go with the next start, and no other', async () => {
  const own = await createTemporaries()('s');
  const named = (pid: number) => basename(own).replace(`-${process.pid}-`, `-${pid}-`);
  const gone = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));
  const other = spawn('sleep', ['60']);
  const folder = temporaryFolder();
  const kept = [
    named(other.pid ?? 0),
    named(process.pid),
    `pawl-session-00000000-${gone}-abcdef`,
    'pawl-session-abcdef',
    `x${named(gone)}`,
  ];
  const others = ['processes', 'line', 'probe', 'commit'].map((kind) => named(gone).replace('session', kind));
  for (const name of [named(gone), ...others, ...kept]) {
    mkdirSync(join(folder, name, '.cache'), { recursive: true });
    writeFileSync(join(folder, name, 'left'), '');
  }
  const link = `${named(gone)}0`;
  symlinkSync(folder, join(folder, link));
  await sweepTemporaries(folder);
  other.kill();
  expect(new Set(readdirSync(folder))).toEqual(new Set([...kept, link]));
  expect(existsSync(own)).toBe(true);
});

/** Ends the process the moment the folder can be seen, as a second Ctrl-C may. */
const program = `
  import { readdirSync } from 'node:fs';
  import { temporaryFolder } from ${JSON.stringify(fileURLToPath(new URL('../src/sandbox/temporaries.ts', import.meta.url)))};
  temporaryFolder('session');
  const look = () => {
    if (readdirSync(process.env.TMPDIR).length > 0) process.exit();
    setImmediate(look);
  };
  look();
`;

it('P10: a process that ends while it makes a temporary folder leaves none', () => {
  for (let times = 0; times < 5; times++) {
    const folder = temporaryFolder();
    execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, TMPDIR: folder },
    });
    expect(readdirSync(folder)).toEqual([]);
  }
});
