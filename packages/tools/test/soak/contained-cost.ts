/**
 * What a contained `true` costs, as CPU time of this process and of all that it starts:
 * `node packages/tools/test/soak/contained-cost.ts [folder] [rounds]`. To compare two versions, run it in both by turns.
 */
import { spawnSync } from 'node:child_process';
import { createSandbox } from '../../src/sandbox/index.ts';
import { runShell } from '../../src/shell/shell.ts';

const commandsOfARound = 60;

/** Becomes the parent of whatever loses its own, so that all of it is counted, and prints milliseconds. */
const counter = `
  syscall(157, 36, 1, 0, 0, 0);
  my $pid = fork;
  if (!$pid) { exec { $ARGV[0] } @ARGV; exit 127 }
  waitpid $pid, 0;
  exit 1 if $?;
  1 while wait > 0;
  my @used = times;
  print 1000 * ($used[2] + $used[3]);`;

const [folder = process.cwd(), second = '5', worker] = process.argv.slice(2);
if (worker === 'worker') {
  await runContained(Number(second));
  process.exit(0);
}
const perCommand = Array.from(
  { length: Number(second) },
  () => (used(commandsOfARound + 1) - used(1)) / commandsOfARound,
);
const ordered = perCommand.sort((one, other) => one - other);
const median = ordered[ordered.length >> 1] ?? 0;
process.stdout.write(`${median.toFixed(1)} ms of CPU time a command, median of ${ordered.length} rounds\n`);

function used(commands: number): number {
  const words = [process.execPath, import.meta.filename, folder, String(commands), 'worker'];
  const { status, stdout } = spawnSync('perl', ['-e', counter, ...words], { encoding: 'utf8' });
  if (status !== 0) throw new Error('It could not be measured: perl on x86-64, and a sandbox, are needed.');
  return Number(stdout);
}

async function runContained(commands: number): Promise<void> {
  const sandbox = createSandbox({}, { notice: (line) => process.stderr.write(`${line}\n`) });
  for (let count = 0; count < commands; count++) {
    await sandbox.holdOf(folder);
    const launch = await sandbox.launch('cost', folder);
    if (launch === null) throw new Error('There is no sandbox here.');
    const end = await runShell({
      command: 'true',
      cwd: folder,
      environment: { PATH: process.env.PATH ?? '' },
      launch,
      timeoutMs: 60_000,
      killGraceMs: 100,
      maxOutputBytes: 1000,
      signal: new AbortController().signal,
      onOutput: () => undefined,
    });
    await launch.release();
    if (end.exitCode !== 0) throw new Error(end.output.text());
  }
}
