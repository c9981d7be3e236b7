/** What was built as it is after `npm install pawl`: packed, unpacked beside what it depends on, and measured. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

type Manifest = {
  name: string;
  dependencies?: { [name: string]: string };
  optionalDependencies?: { [name: string]: string };
};

const manifestOf = (folder: string): Manifest => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Unpacks what is in `dist` into `target/node_modules`, and links what it depends on. Returns the size of all, bytes. */
export function installBuilt(target: string): number {
  const modules = join(target, 'node_modules');
  const wanted = new Map<string, string>();
  const names: string[] = [];
  for (const name of readdirSync('dist')) {
    const built = manifestOf(join('dist', name));
    const place = join(modules, built.name);
    mkdirSync(place, { recursive: true });
    const packed = spawnSync('npm', ['pack', '--silent', '--pack-destination', target], {
      cwd: join('dist', name),
      encoding: 'utf8',
    });
    spawnSync('tar', [
      '--extract',
      '--strip-components=1',
      '--file',
      join(target, packed.stdout.trim()),
      '--directory',
      place,
    ]);
    names.push(built.name);
    collect(built, [join('packages', name, 'node_modules'), 'node_modules'], wanted);
  }
  const dependencies = Object.fromEntries(names.map((name) => [name, '*']));
  writeFileSync(join(target, 'package.json'), JSON.stringify({ type: 'module', dependencies }));
  for (const [name, folder] of wanted) {
    const place = join(modules, name);
    mkdirSync(dirname(place), { recursive: true });
    if (!existsSync(place)) symlinkSync(resolve(folder), place);
  }
  return [modules, ...wanted.values()].map(bytesIn).reduce((sum, bytes) => sum + bytes, 0);
}

/** All that a package brings along, by name; what this machine has not, npm does not install on it either. */
function collect({ dependencies, optionalDependencies }: Manifest, roots: string[], wanted: Map<string, string>): void {
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const folder = roots.map((root) => join(root, name)).find((place) => existsSync(place));
    if (name.startsWith('@pawl/') || wanted.has(name) || folder === undefined) continue;
    wanted.set(name, folder);
    collect(manifestOf(folder), roots, wanted);
  }
}

function bytesIn(folder: string): number {
  return globSync('**/*', { cwd: folder })
    .map((file) => lstatSync(join(folder, file)))
    .filter((stat) => stat.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}

export type Import = { files: string[]; bytes: number; cpuMs: number; memoryBytes: number };

/** What importing `pawl` loads and costs, beyond Node itself; time and memory of the cheapest of some rounds. */
export function measureImport(target: string, rounds = 5): Import {
  const counting = `
    import { registerHooks } from 'node:module';
    const files = [];
    registerHooks({ load(url, context, next) { if (url.startsWith('file:')) files.push(url); return next(url, context); } });
    await import('pawl');
    console.log(JSON.stringify(files.map((url) => new URL(url).pathname)));`;
  const costing = `
    const [memory, cpu] = [process.memoryUsage().rss, process.cpuUsage()];
    await import('pawl');
    const { user, system } = process.cpuUsage(cpu);
    console.log(JSON.stringify([(user + system) / 1000, process.memoryUsage().rss - memory]));`;
  const run = (code: string) => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: target,
      encoding: 'utf8',
    });
    if (stdout === '') throw new Error(`pawl could not be imported where it was installed: ${stderr}`);
    return JSON.parse(stdout);
  };
  const files: string[] = run(counting);
  const costs: [number, number][] = Array.from({ length: rounds }, () => run(costing));
  return {
    files: files.map((file) => file.slice(file.indexOf('/node_modules/') + '/node_modules/'.length)),
    bytes: files.reduce((sum, file) => sum + lstatSync(file).size, 0),
    cpuMs: Math.min(...costs.map(([cpuMs]) => cpuMs)),
    memoryBytes: Math.min(...costs.map(([, bytes]) => bytes)),
  };
}
