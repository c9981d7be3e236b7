/**
 * Checks that every import goes the way the house is built: a package imports only packages above it and those it
 * declares, adapters never import each other, and the core imports nothing of node and nothing outside itself.
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
  cli: ['protocol', 'policy', 'engine', 'models', 'tools', 'storage', 'ai-sdk', 'client'],
};

/** What the core may use: itself, the types of the ports, the protocol, and the policy, which is as pure. */
const core = 'packages/engine/src/core/';
function coreMayImport(path: string, target: string): boolean {
  if (target === '@pawl/protocol' || target === '@pawl/policy') return true;
  const reached = reachedFrom(path, target);
  return target.startsWith('.') && (reached.startsWith(core) || reached === 'packages/engine/src/ports.ts');
}

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

for (const file of globSync('packages/*/{src,bin}/**/*.{ts,js}')) {
  const path = file.split(sep).join('/');
  const owner = path.split('/')[1] ?? '';
  const manifest = JSON.parse(readFileSync(`packages/${owner}/package.json`, 'utf8'));
  for (const { target, isType } of importsOf(readFileSync(file, 'utf8'))) {
    const problem = check(path, owner, target, isType, manifest);
    if (problem !== null) problems.push(`${path}: imports ${target}: ${problem}`);
  }
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
  const isSchema = path.startsWith('packages/protocol/src/schemas/') || target === '@pawl/protocol/schemas';
  if (!isType && slowToLoad.includes(name) && !isSchema)
    return `${name} is slow to load; import() it when it is needed.`;
  return null;
}

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
