/**
 * Builds every package as it is published, in `dist/<package>`: JavaScript and declarations in place of the sources,
 * and a package.json that points at them. In the repository nothing needs to be built; sources run as they are.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { bundle, copyResources } from './bundle.ts';
import { entriesBehind, loadExportsLate } from './late-exports.ts';

process.chdir(join(import.meta.dirname, '..'));
const out = 'dist';
const emitted = join(out, '.emitted');

/** Packages that nobody uses all of. */
const thin = new Set(['ai-sdk', 'cli', 'models', 'storage', 'tools']);
const latePackages = ['@pawl/tools/memory', '@pawl/tools/surroundings'];

/** What users install with Pawl; anything else that the sources import is bundled. */
const installed = new Set(
  globSync('packages/*/package.json').flatMap((file) => {
    const { dependencies, peerDependencies } = JSON.parse(readFileSync(file, 'utf8'));
    return Object.keys({ ...dependencies, ...peerDependencies });
  }),
);
const isInstalled = (id: string) =>
  id.startsWith('node:') ||
  id.startsWith('@pawl/') ||
  installed.has(id.split('/', id.startsWith('@') ? 2 : 1).join('/'));

const workspace: { homepage: string; keywords: string[] } = JSON.parse(readFileSync('package.json', 'utf8'));

rmSync(out, { recursive: true, force: true });
const { status } = spawnSync(
  join('node_modules', '.bin', 'tsc'),
  ['--project', 'tsconfig.build.json', '--outDir', emitted, '--emitDeclarationOnly'],
  { stdio: 'inherit' },
);
if (status !== 0) process.exit(1);
for (const name of readdirSync('packages')) await build(name);
await bundleProgram();
writeHelp();
rmSync(emitted, { recursive: true, force: true });

/** The program is one bundle of its own, with all of Pawl in it. */
async function bundleProgram(): Promise<void> {
  const target = join(out, 'cli', 'dist');
  await bundle({
    input: { main: join('packages', 'cli', 'src', 'main.ts') },
    target,
    chunkNames: 'main.[name].js',
    // Of zod/mini a bundle keeps only what is used, which loads in a tenth of the time of the whole.
    isExternal: (id) => !id.startsWith('@pawl/') && id !== 'zod/mini' && isInstalled(id),
  });
  copyResources('packages/*/src', target);
}

/** The help as it is without a terminal, so that it can be shown without the program being loaded. */
function writeHelp(): void {
  const program = join(out, 'cli', 'bin', 'pawl.js');
  const { status, stdout } = spawnSync(process.execPath, [program, 'help'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} help ended with ${status}.`);
  writeFileSync(join(out, 'cli', 'dist', 'help.txt'), stdout);
}

async function build(name: string): Promise<void> {
  const source = join('packages', name);
  const target = join(out, name);
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  for (const file of globSync('**/*.d.ts', { cwd: join(emitted, name, 'src') })) {
    cpSync(join(emitted, name, 'src', file), join(target, 'dist', file));
  }
  const door = resolve(source, 'src', 'index.ts');
  const isThin = thin.has(name);
  await bundle({
    input: {
      ...(isThin ? entriesBehind(source, readFileSync(door, 'utf8')) : {}),
      ...(name === 'cli' && { 'supported-node': join(source, 'src', 'supported-node.ts') }),
      ...entriesOf(source, manifest.exports),
    },
    target: join(target, 'dist'),
    chunkNames: 'shared/[name].js',
    isExternal: (id) => isInstalled(id),
    banner: (entry) => (name === 'cli' && entry === 'index' ? "import './supported-node.js';" : ''),
    plugins: isThin ? [loadExportsLate({ file: door, latePackages })] : [],
  });
  copyResources(`${source}/src`, join(target, 'dist'));
  for (const extra of globSync(join(source, '{bin,schema.json}'))) {
    cpSync(extra, join(target, relative(source, extra)), { recursive: true });
  }
  // What npm installed for this package alone is found from its build too, so that it runs where it was built.
  const own = join(source, 'node_modules');
  if (existsSync(own)) symlinkSync(join('..', '..', own), join(target, 'node_modules'));
  cpSync('LICENSE', join(target, 'LICENSE'));
  const readme = name === 'cli' ? 'README.md' : join(source, 'README.md');
  writeFileSync(join(target, 'README.md'), withAbsoluteLinks(readFileSync(readme, 'utf8'), dirname(readme)));
  const published = {
    ...manifest,
    keywords: [...workspace.keywords, ...(manifest.keywords ?? [])],
    homepage: `${workspace.homepage}#readme`,
    repository: { type: 'git', url: `git+${workspace.homepage}.git`, directory: source },
    exports: Object.fromEntries(Object.entries<string>(manifest.exports).map(([entry, path]) => [entry, built(path)])),
    files: ['dist', 'bin', 'schema.json'],
  };
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
  console.log(`Built ${manifest.name} ${manifest.version} in ${target}.`);
}

/** A page that is read on npm, where the repository's other files are not beside it. */
function withAbsoluteLinks(page: string, folder: string): string {
  return page.replace(/\]\((?!https?:|#)([^)\s]+)\)/g, (_, link: string) => {
    return `](${workspace.homepage}/blob/main/${join(folder, link)})`;
  });
}

/** The sources behind an `exports`, each by the name that its bundle gets. */
function entriesOf(source: string, entries: { [entry: string]: string }): { [name: string]: string } {
  const sources = Object.values(entries).filter((path) => path.endsWith('.ts'));
  const files = sources.flatMap((path) => globSync(path, { cwd: source }));
  return Object.fromEntries(
    files.map((file) => [relative('src', file).replace(/\.ts$/, ''), join(source, file)] as const),
  );
}

/** Where an entry of `exports` is after the build. */
function built(path: string): string | { types: string; default: string } {
  if (!path.endsWith('.ts')) return path;
  const base = path.replace('./src/', './dist/').replace(/\.ts$/, '');
  return { types: `${base}.d.ts`, default: `${base}.js` };
}
