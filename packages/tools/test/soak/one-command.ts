/** Runs one contained command in a process of its own, to be killed: node one-command.ts <folder> <command>. */
import { createSandbox } from '../../src/sandbox/index.ts';
import { runShell } from '../../src/shell/shell.ts';

const [folder = '', command = ''] = process.argv.slice(2);
const launch = await createSandbox({}, { notice: () => undefined }).launch('s', folder);
await runShell({
  command,
  cwd: folder,
  environment: { PATH: process.env.PATH ?? '' },
  launch,
  timeoutMs: 60_000,
  killGraceMs: 100,
  maxOutputBytes: 1000,
  signal: new AbortController().signal,
  onOutput: () => undefined,
});
await launch?.release();
