/**
 * Checks that every import goes the way the house is built: a package imports only packages above it and those it
 * declares, adapters never import each other, the core imports nothing of node and nothing outside itself, folders of a
 * package have an order too, and no two files import each other in a circle.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, sep } from 'node:path';

/** What each package may import of the others. */
const allowed: Record<string, readonly string[]> = {
  protocol: [],
  policy: ['protocol'],
  engine: ['protocol', 'policy'],
  models: ['protocol', 'policy', 'engine'],
  tools: ['protocol', 'policy', 'engine'],
  'ai-sdk': ['protocol', 'engine', 'models'],
  storage: ['protocol', 'policy', 'engine'],
  client: ['protocol'],
  terminal: ['protocol', 'engine', 'client'],
  cli: ['protocol', 'policy', 'engine', 'models', 'tools', 'storage', 'ai-sdk', 'client', 'terminal'],
};

/** What the core may use: itself, the types of the ports, the protocol, and the policy, which is as pure. */
const core = 'packages/engine/src/core/';
function coreMayImport(path: string, target: string): boolean {
  if (target === '@pawl/protocol' || target === '@pawl/policy') return true;
  const reached = reachedFrom(path, target);
  return target.startsWith('.') && (reached.startsWith(core) || reached === 'packages/engine/src/ports.ts');
}

/** Folders of a package, each of which may import only those before it. */
const folderOrder: Record<string, readonly string[]> = {
  engine: ['core', 'media', 'agents', 'registry', 'readers', 'context', 'runtime', 'middleware', 'testing'],
};

/** Files of zod schemas, which other files import only behind an `import()`. */
const schemaFiles =
  /^packages\/(protocol\/src\/schemas|cli\/src\/config\/schema)\/|^packages\/cli\/src\/agents\/schema\.ts$/;

/** Parsing and validation that would slow every start; only behind an `import()` or an entry of their own. */
const slowToLoad = [
  'zod',
  '@cfworker/json-schema',
  '@pydantic/genai-prices',
  'diff',
  '@clack/prompts',
  'sharp',
  'unpdf',
  'web-tree-sitter',
];

const problems: string[] = [];
/** The files that each file imports. */
const graph = new Map<string, string[]>();

for (const file of globSync('packages/*/{src,bin}/**/*.{ts,js}')) {
  const path = file.split(sep).join('/');
  const owner = path.split('/')[1] ?? '';
  const manifest = JSON.parse(readFileSync(`packages/${owner}/package.json`, 'utf8'));
  const imports = importsOf(readFileSync(file, 'utf8'));
  graph.set(
    path,
    imports.flatMap(({ target }) => (target.startsWith('.') ? [reachedFrom(path, target)] : [])),
  );
  for (const { target, isType } of imports) {
    const problem = check(path, owner, target, isType, manifest) ?? checkFolder(path, owner, target);
    if (problem !== null) problems.push(`${path}: imports ${target}: ${problem}`);
  }
}
for (const circle of circlesIn(graph)) problems.push(`These import each other in a circle: ${circle.join(', ')}.`);

function checkFolder(path: string, owner: string, target: string): string | null {
  const order = folderOrder[owner];
  if (order === undefined || !target.startsWith('.')) return null;
  const folderOf = (file: string) => order.indexOf(file.split('/')[3] ?? '');
  const [from, to] = [folderOf(path), folderOf(reachedFrom(path, target))];
  if (from < 0 || to <= from) return null;
  return `${order[from]} comes before ${order[to]} and may not know of it.`;
}

/** Sets of files each of which leads to all others of its set (Tarjan's algorithm). */
function circlesIn(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const path: string[] = [];
  const visit = (file: string): void => {
    order.set(file, order.size);
    lowest.set(file, order.size - 1);
    path.push(file);
    for (const next of edges.get(file) ?? []) {
      if (!edges.has(next)) continue;
      if (!order.has(next)) visit(next);
      if (path.includes(next)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(next) ?? 0));
    }
    if (lowest.get(file) !== order.get(file)) return;
    const circle = path.splice(path.indexOf(file));
    if (circle.length > 1) circles.push(circle);
  };
  for (const file of edges.keys()) if (!order.has(file)) visit(file);
  return circles;
}

function check(
  path: string,
  owner: string,
  target: string,
  isType: boolean,
  manifest: {
    name: string;
    dependencies?: Record<string, string>;
    peerDependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  },
): string | null {
  if (path.startsWith(core) && !coreMayImport(path, target)) return 'the core is pure and stands alone.';
  if (target.startsWith('.')) {
    if (!isType && schemaFiles.test(reachedFrom(path, target)) && !schemaFiles.test(path)) return lateOnly('zod');
    return reachedFrom(path, target).startsWith(`packages/${owner}/`)
      ? null
      : 'use the name of the package, not a path into it.';
  }
  if (target.startsWith('node:')) return null;
  const name = target.startsWith('@') ? target.split('/').slice(0, 2).join('/') : (target.split('/')[0] ?? '');
  const isOfPawl = name.startsWith('@pawl/');
  // What others made and users do not install is bundled.
  const declared = {
    ...manifest.dependencies,
    ...manifest.peerDependencies,
    ...(!isOfPawl && manifest.devDependencies),
  };
  if (declared[name] === undefined && name !== manifest.name) return `${name} is not in its package.json.`;
  if (isOfPawl && !(allowed[owner] ?? []).includes(name.slice('@pawl/'.length))) {
    return `${owner} may import only ${allowed[owner]?.join(', ') || 'nothing'}.`;
  }
  return !isType && slowToLoad.includes(name) && !schemaFiles.test(path) ? lateOnly(name) : null;
}

const lateOnly = (name: string) => `${name} is slow to load; import() it when it is needed.`;

function reachedFrom(path: string, target: string): string {
  return normalize(join(dirname(path), target))
    .split(sep)
    .join('/');
}

function importsOf(source: string): { target: string; isType: boolean }[] {
  const statements = source.matchAll(/^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'/gm);
  return [...statements].map((match) => ({ target: match[2] ?? '', isType: match[1] !== undefined }));
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error(`\n${problems.length} imports go the wrong way.`);
  process.exitCode = 1;
} else {
  console.log('Every import goes the right way.');
}
