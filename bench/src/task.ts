import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Peers report to nobody while they are measured. */
const quiet = {
  LANGSMITH_TRACING: 'false',
  LANGCHAIN_TRACING_V2: 'false',
  OPENAI_AGENTS_DISABLE_TRACING: '1',
  AI_SDK_LOG_WARNINGS: 'false',
  DISABLE_TELEMETRY: '1',
  NO_PROXY: '127.0.0.1',
};

/** Makes an empty folder, gives it to `work` and removes it whatever happens. */
export const inTemporaryFolder = async <Result>(work: (folder: string) => Promise<Result>): Promise<Result> => {
  const folder = await mkdtemp(join(tmpdir(), 'pawl-bench-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
};

/** Waits for a process to end. @throws with what it said, when it fails or takes longer than `limitMs`. */
export const runNode = async (
  parts: readonly string[],
  options: { cwd?: string; environment?: { [name: string]: string }; limitMs?: number } = {},
): Promise<string> => {
  const child = spawn(process.execPath, parts, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...quiet, ...options.environment },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    timeout: options.limitMs ?? 600_000,
  });
  const ended = new Promise<number | string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'nothing'));
  });
  const [output, complaints, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`node ${parts.join(' ')} ended with ${code}:\n${complaints}${output}`);
  return output;
};

/** Runs one of this folder's scripts with a job and reads what it reports. */
export const runScript = async <Result>(script: string, job: object): Promise<Result> => {
  const path = join(import.meta.dirname, script);
  const output = await runNode([path, JSON.stringify(job)]);
  return JSON.parse(output.slice(output.lastIndexOf('\n', output.length - 2) + 1));
};

/** The other end of `runScript`: does the job in a folder of its own, prints the result as one line, and exits. */
export const report = async <Job, Result>(work: (job: Job, folder: string) => Promise<Result>): Promise<void> => {
  const job: Job = JSON.parse(process.argv[2] ?? 'null');
  const result = await inTemporaryFolder((folder) => work(job, folder));
  // A peer may hold connections or timers that keep a process alive.
  process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
};
