/** Builds what is published and checks it as its users will meet it: manifests, types, and the program itself. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installBuilt, measureImport } from './installed.ts';
import { findRuntime } from './runtimes.ts';

/** What importing and installing Pawl may take. Time is told and not held: it is the machine's. */
const maxFiles = 30;
const maxCodeBytes = 650_000;
const maxMemoryBytes = 15e6;
const maxInstalledBytes = 45e6;

process.chdir(join(import.meta.dirname, '..'));
const home = mkdtempSync(join(tmpdir(), 'pawl-published-'));
const problems: string[] = [];

function run(what: string, program: string, args: string[], options: { cwd?: string } = {}): string {
  const env = { ...process.env, PAWL_HOME: home, NO_COLOR: '1' };
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env, ...options });
  if (status !== 0) problems.push(`${what}:\n${stdout}${stderr}`);
  return stdout;
}

run('the build', process.execPath, ['scripts/build.ts']);
for (const name of readdirSync('dist')) {
  run(`publint of ${name}`, 'publint', [join('dist', name), '--strict']);
  // Everything is an ES module, for a Node that has `require(esm)`.
  run(`types of ${name}`, 'attw', ['--pack', join('dist', name), '--profile', 'esm-only', '--quiet']);
}

const place = join(home, 'installed');
mkdirSync(place);
const installedBytes = installBuilt(place);
const { files, bytes, cpuMs, memoryBytes } = measureImport(place);
const megabytes = (count: number) => `${(count / 1e6).toFixed(1)} MB`;
console.log(`Importing pawl loads ${files.length} files (${megabytes(bytes)}): ${files.join(', ')}.`);
console.log(
  `It costs ${cpuMs.toFixed(0)} ms of CPU and ${megabytes(memoryBytes)} beyond Node; installed are ${megabytes(installedBytes)}.`,
);
const limits = [
  { what: 'files loaded by importing pawl', found: files.length, most: maxFiles },
  { what: 'bytes of code loaded by importing pawl', found: bytes, most: maxCodeBytes },
  { what: 'bytes of memory that importing pawl takes', found: memoryBytes, most: maxMemoryBytes },
  { what: 'bytes that installing pawl takes', found: installedBytes, most: maxInstalledBytes },
];
for (const { what, found, most } of limits) if (found > most) problems.push(`${found} ${what}; at most ${most}.`);

const tooOld = spawnSync(
  process.execPath,
  [
    '--input-type=module',
    '--eval',
    "Object.defineProperty(process.versions, 'node', { value: '20.9.0' }); await import('pawl');",
  ],
  { encoding: 'utf8', cwd: place },
);
if (!/pawl needs Node 22\.19 or newer, and this is Node 20\.9\.0/.test(tooOld.stderr)) {
  problems.push(`On a Node that is too old the library says: ${tooOld.stderr}`);
}

cpSync(join('examples', 'echo.ts'), join(place, 'echo.ts'));
runOn('Node', process.execPath, []);
for (const [name, args] of [
  ['bun', []],
  ['deno', ['run', '--allow-all']],
] as const) {
  const runtime = findRuntime(name);
  if ('program' in runtime) runOn(name, runtime.program, args);
  else console.log(`Skipped: the example and the program on ${name}: ${runtime.missing}`);
}

/** The example and the program, as they are installed, on one runtime. */
function runOn(name: string, runtime: string, args: readonly string[]): void {
  const said = run(`the example on ${name}`, runtime, [...args, 'echo.ts'], { cwd: place });
  if (!said.includes('The echo says: hello')) problems.push(`The example on ${name} says: ${said}`);
  const start = join(place, 'node_modules', 'pawl', 'bin', 'pawl.js');
  const asked = ['run', '--model', 'demo', 'List the files'];
  const worked = run(`the program on ${name}`, runtime, [...args, start, ...asked], { cwd: place });
  if (!worked.includes('echo.ts')) problems.push(`The program on ${name} says: ${worked}`);
}

const program = join(process.cwd(), 'dist', 'cli', 'bin', 'pawl.js');
const answer = run('a run of the program', process.execPath, [program, 'run', '--model', 'demo', 'List the files'], {
  cwd: join(process.cwd(), 'examples', 'todo-app'),
});
if (!answer.includes('main.ts')) problems.push(`The program did not do its work: ${answer}`);
const schema = run('the schema of the settings', process.execPath, [program, 'config', 'schema']);
if (!schema.includes('Pawl configuration')) problems.push(`The program printed another schema: ${schema}`);

rmSync(home, { recursive: true, force: true });
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log('What is published is whole, typed, and runs.');
