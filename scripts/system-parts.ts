/**
 * Finds the programs of the system that tests need, installs what is missing where it may, and says what it does.
 * Tests whose part is missing say so and are skipped.
 */
import { spawnSync } from 'node:child_process';

type Part = { program: string; debianPackage: string; use: string };

const parts: Part[] = [{ program: 'bwrap', debianPackage: 'bubblewrap', use: 'the sandbox' }];

const isThere = (program: string) => spawnSync(program, ['--version'], { stdio: 'ignore' }).error === undefined;

const missing = process.platform === 'linux' ? parts.filter(({ program }) => !isThere(program)) : [];
const packages = missing.map(({ debianPackage }) => debianPackage);
const mayInstall = process.getuid?.() === 0 && isThere('apt-get');

if (missing.length === 0) {
  console.log('All there.');
} else if (mayInstall) {
  const apt = (...args: string[]) => spawnSync('apt-get', [...args, '--quiet=2', '--yes'], { stdio: 'inherit' });
  console.log(`Installing ${packages.join(', ')} with apt-get.`);
  apt('update');
  apt('install', '--no-install-recommends', ...packages);
}
for (const { program, debianPackage, use } of missing.filter((part) => !isThere(part.program))) {
  console.log(`There is no ${program}: tests of ${use} are skipped. Install it: sudo apt install ${debianPackage}`);
}
