/**
 * Builds every package as it is published, in `dist/<package>`: JavaScript and declarations in place of the sources,
 * and a package.json that points at them. In the repository nothing needs to be built; sources run as they are.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build as rolldown } from 'rolldown';

process.chdir(join(import.meta.dirname, '..'));
const out = 'dist';
const emitted = join(out, '.emitted');

rmSync(out, { recursive: true, force: true });
const { status } = spawnSync(
  join('node_modules', '.bin', 'tsc'),
  ['--project', 'tsconfig.build.json', '--outDir', emitted],
  { stdio: 'inherit' },
);
if (status !== 0) process.exit(1);
for (const name of readdirSync('packages')) build(name);
await bundleProgram();
writeHelp();
rmSync(emitted, { recursive: true, force: true });

/** The program starts in half the time when it is a few files and not two hundred. The library stays as it is. */
async function bundleProgram(): Promise<void> {
  const target = join(out, 'cli', 'dist');
  await rolldown({
    input: { main: join('packages', 'cli', 'src', 'main.ts') },
    platform: 'node',
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !id.startsWith('@pawl/'),
    output: { dir: target, format: 'esm', chunkFileNames: 'main.[name].js' },
  });
  // What the sources read from beside themselves is now read from beside the chunks.
  for (const file of globSync('packages/*/src/**/*.{json,wasm}')) cpSync(file, join(target, basename(file)));
}

/** The help as it is without a terminal, so that it can be shown without the program being loaded. */
function writeHelp(): void {
  const program = join(out, 'cli', 'bin', 'pawl.js');
  const { status, stdout } = spawnSync(process.execPath, [program, 'help'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} help ended with ${status}.`);
  writeFileSync(join(out, 'cli', 'dist', 'help.txt'), stdout);
}

function build(name: string): void {
  const source = join('packages', name);
  const target = join(out, name);
  cpSync(join(emitted, name, 'src'), join(target, 'dist'), { recursive: true });
  for (const file of globSync(join(source, 'src/**/*')).filter((path) => /\.(json|html|css|wasm)$/.test(path))) {
    const copy = join(target, 'dist', relative(join(source, 'src'), file));
    mkdirSync(dirname(copy), { recursive: true });
    cpSync(file, copy);
  }
  for (const extra of globSync(join(source, '{bin,schema.json}'))) {
    cpSync(extra, join(target, relative(source, extra)), { recursive: true });
  }
  // What npm installed for this package alone is found from its build too, so that it runs where it was built.
  const own = join(source, 'node_modules');
  if (existsSync(own)) symlinkSync(join('..', '..', own), join(target, 'node_modules'));
  cpSync('LICENSE', join(target, 'LICENSE'));
  cpSync('README.md', join(target, 'README.md'));
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  const published = {
    ...manifest,
    exports: Object.fromEntries(Object.entries<string>(manifest.exports).map(([entry, path]) => [entry, built(path)])),
    files: ['dist', 'bin', 'schema.json'],
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  console.log(`Built ${manifest.name} ${manifest.version} in ${target}.`);
}

/** Where an entry of `exports` is after the build. */
function built(path: string): string | { types: string; default: string } {
  if (!path.endsWith('.ts')) return path;
  const base = path.replace('./src/', './dist/').replace(/\.ts$/, '');
  return { types: `${base}.d.ts`, default: `${base}.js` };
}
