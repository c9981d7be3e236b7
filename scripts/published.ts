/** Builds what is published and checks it as its users will meet it: manifests, types, and the program itself. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
const program = join(process.cwd(), 'dist', 'cli', 'bin', 'pawl.js');
const answer = run('a run of the program', process.execPath, [program, 'run', '--model', 'demo', 'List the files'], {
  cwd: join(process.cwd(), 'examples', 'todo-app'),
});
if (!answer.includes('main.ts')) problems.push(`The program did not do its work: ${answer}`);

rmSync(home, { recursive: true, force: true });
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log('What is published is whole, typed, and runs.');
