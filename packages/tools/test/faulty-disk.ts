/**
 * A program for tests: makes a change of several files again and again, each time with another call to the disk
 * failing, and prints what was wrong with what it left. `kill` dies at that call instead, and leaves the rest to others.
 */
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import type { ToolContext } from '@pawl/engine';
import { patchTool } from '../src/files/patch.ts';
import { digestOf } from '../src/files/regular-file.ts';
import { withDefaults } from '../src/options.ts';
import { fingerprint } from './fingerprint.ts';

const [mode = '', folder = '', store = '', only = ''] = process.argv.slice(2);

export const faultyPatch = [
  '*** Begin Patch',
  ...['*** Update File: a', '-one', '+two', '*** Update File: b', '*** Move to: deep/er/b', '-one', '+two'],
  ...['*** Add File: new/file', '+x', '*** Delete File: c', '*** Update File: d', '-one', '+two'],
  '*** End Patch',
].join('\n');

const names = [
  'open',
  'link',
  'rename',
  'unlink',
  'mkdir',
  'access',
  'copyFile',
  'readlink',
  'lstat',
  'realpath',
] as const;

let calls = 0;
let failsAt = Number.POSITIVE_INFINITY;

/** Every call of the disk counts; the one at `failsAt` fails, once. */
function arm(): void {
  const table = promises as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
  for (const name of names) {
    const real = table[name];
    if (real === undefined) throw new Error(`no ${name}`);
    table[name] = async (...given) => {
      calls += 1;
      if (calls === failsAt) fail();
      const result = await real.apply(promises, given);
      if (name === 'open') armHandle(result as Record<string, (...args: unknown[]) => Promise<unknown>>);
      return result;
    };
  }
  syncBuiltinESMExports();
}

function armHandle(handle: Record<string, (...given: unknown[]) => Promise<unknown>>): void {
  for (const name of ['writeFile', 'sync', 'read', 'chmod']) {
    const real = handle[name]?.bind(handle);
    if (real === undefined) continue;
    handle[name] = async (...given) => {
      calls += 1;
      if (calls === failsAt) fail();
      return real(...given);
    };
  }
}

function fail(): never {
  if (mode === 'kill') process.kill(process.pid, 'SIGKILL');
  throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
}

const context: ToolContext = {
  session: 's',
  cwd: folder,
  call: 'c',
  signal: new AbortController().signal,
  blobs: {
    get: async (digest) => readFileSync(join(store, digest)),
    async put(bytes) {
      writeFileSync(join(store, digestOf(bytes)), bytes);
      return digestOf(bytes);
    },
  },
  lastSeen: () => null,
  paths: [],
  basis: null,
  progress: () => undefined,
};

function reset(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(folder, name), 'one\n');
}

if (mode !== '') {
  arm();
  const tool = patchTool(withDefaults());
  const begin = mode === 'kill' ? Number(only) : 1;
  for (let at = begin; ; at++) {
    if (mode !== 'kill') reset();
    const before = fingerprint(folder);
    calls = 0;
    failsAt = at;
    let failure: string | null = null;
    let isToldOfRests = false;
    try {
      const { content } = await tool.run({ patch: faultyPatch }, context);
      isToldOfRests = content.includes('could not be removed');
    } catch (error) {
      failure = String(error);
    }
    const hasFailed = calls >= failsAt;
    failsAt = Number.POSITIVE_INFINITY;
    const after = fingerprint(folder);
    const isBefore = JSON.stringify(after) === JSON.stringify(before);
    const names = Object.keys(after).filter((name) => !(isToldOfRests && name.includes('.pawl-')));
    const isDone = names.join() === 'a,d,deep,deep/er,deep/er/b,new,new/file';
    const line = { at, failure, isBefore, isDone, after: Object.keys(after) };
    appendFileSync(1, `${JSON.stringify(line)}\n`);
    if (!hasFailed || mode === 'kill') break;
  }
}
