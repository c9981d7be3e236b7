/**
 * Completes package-lock.json: `npm run lockfile`, after every `npm install` that changed it.
 * A registry mirror may lack packages for platforms other than its own. npm then leaves these optional packages out of
 * the lockfile, and `npm ci` refuses what it left out itself. Here they get their entries, so that the lockfile
 * is whole wherever it is used; none is ever installed on a platform that it is not for.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

type Entry = {
  version?: string;
  cpu?: string[];
  os?: string[];
  libc?: string[];
  dev?: boolean;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
};

const path = join(import.meta.dirname, '..', 'package-lock.json');
const lockfile: { packages: Record<string, Entry> } = JSON.parse(readFileSync(path, 'utf8'));
const systems = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'x64', 'ppc64', 'riscv64', 's390x', 'loong64', 'wasm32', 'mips64el'];

/** For which platform a package is, by its name: `…-linux-x64-musl`. */
function platformOf(name: string): Entry {
  const words = name.split(/[-/]/);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor));
  // What is for no known platform is for none.
  return {
    cpu: cpu.length > 0 ? cpu : ['none'],
    ...(os.length > 0 && { os }),
    ...(words.includes('musl') && { libc: ['musl'] }),
  };
}

let added = 0;
for (const entry of Object.values(lockfile.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    if (lockfile.packages[place] !== undefined || !/^\d/.test(version)) continue;
    lockfile.packages[place] = {
      version,
      ...platformOf(name),
      ...(entry.dev === true && { dev: true }),
      optional: true,
    };
    added += 1;
  }
}
const packages = Object.entries(lockfile.packages).sort(([left], [right]) => (left < right ? -1 : 1));
writeFileSync(path, `${JSON.stringify({ ...lockfile, packages: Object.fromEntries(packages) }, null, 2)}\n`);
console.log(`Added ${added} entries for other platforms.`);
