/** Bun and Deno, which Pawl runs on too: those on PATH, else from npm, kept below node_modules for the next time. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = { bun: 'bun@1.4.5', deno: 'deno@2.9.6' };
type Runtime = keyof typeof packages;

const cache = join(import.meta.dirname, '..', 'node_modules', '.cache', 'runtimes');
const maxInstallMs = 180_000;

/** The program to start, or the reason why there is none. */
export function findRuntime(name: Runtime): { program: string } | { missing: string } {
  if (runs(name)) return { program: name };
  const folder = join(cache, name);
  const program = join(folder, 'node_modules', '.bin', name);
  if (existsSync(program) && runs(program)) return { program };
  console.log(`Installing ${packages[name]} from npm for the tests; this happens once.`);
  mkdirSync(folder, { recursive: true });
  // With a package.json of its own npm does not take this folder for a part of the workspace.
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const options = { cwd: folder, encoding: 'utf8', timeout: maxInstallMs } as const;
  const { stderr } = spawnSync('npm', ['install', '--no-audit', '--no-fund', packages[name]], options);
  if (runs(program)) return { program };
  return { missing: `it is not on PATH, and npm could not install it: ${stderr.trim().split('\n').at(-1) ?? ''}` };
}

function runs(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}
