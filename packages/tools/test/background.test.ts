import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { ToolOutcome } from '@pawl/engine';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { probeSandbox } from '../src/index.ts';
import { OutputLog } from '../src/shell/background/log.ts';
import { createWorkspace, temporaryFolder } from './workspace.ts';

const isAlive = (pid: number) =>
  existsSync(`/proc/${pid}/stat`) && !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await wait(10);
}
async function untilThere(path: string): Promise<string> {
  while (!existsSync(path) || readFileSync(path, 'utf8') === '') await wait(5);
  return readFileSync(path, 'utf8');
}
const idOf = ({ details }: ToolOutcome) => String(details?.process);

const free = { sandbox: { mode: 'off' } } as const;
const probe = await probeSandbox();
const kinds = probe.isAvailable
  ? ([
      ['free', free],
      ['contained', {}],
    ] as const)
  : ([['free', free]] as const);
if (!probe.isAvailable) console.log(`Skipped, what needs a sandbox: ${probe.reason}`);

describe.each(kinds)('T4: a background process, %s', (_, options) => {
  it('returns an id at once, keeps its output, and tells when it has ended', async () => {
    const { folder, call } = createWorkspace(options);
    let tell: (text: string) => void = () => undefined;
    const told = new Promise<string>((resolve) => {
      tell = resolve;
    });
    const started = await call(
      'bash',
      { command: 'echo one; while ! test -e go; do sleep 0.01; done; echo two; exit 3', background: true },
      { notify: tell },
    );
    const id = idOf(started);
    expect(started.content).toContain(`Started in the background as ${id}.`);
    const first = await call('process', { action: 'output', id, since: 0, waitMs: 10_000 });
    expect(first.content).toMatch(new RegExp(`^one\\n\\(${id}: runs since .*\\)$`));
    expect((await call('process', { action: 'list' })).content).toMatch(
      new RegExp(`^${id} {2}runs since .* echo one; while`),
    );
    await call('bash', { command: 'touch go' });
    expect(existsSync(join(folder, 'go'))).toBe(true);
    expect(await told).toMatch(
      new RegExp(
        `^Background process ${id} ended with exit code 3 after .* s\\. Its output: process, action output\\.$`,
      ),
    );
    const rest = await call('process', { action: 'output', id, since: Number(first.details?.next) });
    expect(rest.content).toMatch(/^two\n/);
    expect(rest.details).toMatchObject({ isRunning: false, exitCode: 3 });
    expect(readFileSync(String(rest.details?.log), 'utf8')).toBe('one\ntwo\n');
  });

  it('is stopped with all that it started, and then tells nothing', async () => {
    const { folder, call } = createWorkspace(options);
    const notices: string[] = [];
    const started = await call(
      'bash',
      { command: 'while :; do touch beat; sleep 0.01; done & wait', background: true },
      { notify: (text) => notices.push(text) },
    );
    while (!existsSync(join(folder, 'beat'))) await wait(5);
    const stopped = await call('process', { action: 'stop', id: idOf(started) });
    expect(stopped.content).toMatch(/was stopped after/);
    await untilGone(Number(started.details?.group));
    expect(notices).toEqual([]);
    expect((await call('process', { action: 'stop', id: idOf(started) })).content).toMatch(/was stopped after/);
  });

  it('is ended when its time is over', async () => {
    const { call } = createWorkspace({ ...options, maxBackgroundMs: 300, killGraceMs: 200 });
    const told = new Promise<string>((resolve) => {
      call('bash', { command: "trap '' TERM; sleep 1000", background: true }, { notify: resolve }).catch(resolve);
    });
    expect(await told).toMatch(/was ended after .*, the longest time that it had/);
  });
});

describe('T4: background processes', () => {
  it('are so many at most, and each session has its own', async () => {
    const { call } = createWorkspace({ ...free, maxBackgroundProcesses: 1 });
    const started = await call('bash', { command: 'sleep 1000', background: true });
    await expect(call('bash', { command: 'sleep 1000', background: true })).rejects.toMatchObject({
      code: 'too_many_processes',
    });
    expect((await call('process', { action: 'list' }, { session: 'other' })).content).toBe(
      'There are no background processes.',
    );
    await expect(call('process', { action: 'stop', id: idOf(started) }, { session: 'other' })).rejects.toMatchObject({
      code: 'no_process',
    });
    await call('process', { action: 'stop', id: idOf(started) });
  });

  it('are so many at most also when all are started at once', async () => {
    const { call } = createWorkspace({ ...free, maxBackgroundProcesses: 3 });
    const starts = Array.from({ length: 20 }, () => call('bash', { command: 'sleep 1000', background: true }));
    const settled = await Promise.allSettled(starts);
    const started = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    for (const each of started) await call('process', { action: 'stop', id: idOf(each) });
    expect(started).toHaveLength(3);
  });

  it('give text: no escape sequences, no broken bytes', async () => {
    const { call } = createWorkspace(free);
    const told = new Promise<string>((resolve) => {
      call(
        'bash',
        { command: String.raw`printf '\033[31mred\033[0m\xff\033]52;c;QUJD\007'`, background: true },
        { notify: resolve },
      ).catch(resolve);
    });
    const [, id = ''] = /process (\w+)/.exec(await told) ?? [];
    expect((await call('process', { action: 'output', id })).content).toMatch(/^red\ufffd\n/);
  });

  it.each([
    ['killed', 'SIGKILL'],
    ['asked to end', 'SIGTERM'],
  ] as const)('are gone when the program is %s, and so is a command that runs', async (_, signal) => {
    const folder = temporaryFolder();
    const program = spawn(process.execPath, ['--input-type=module-typescript', '-e', hostOf(folder)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    const ids: number[] = [];
    for (const name of ['behind', 'before']) ids.push(Number(await untilThere(join(folder, name))));
    for (const id of ids) expect(isAlive(id)).toBe(true);
    program.kill(signal);
    for (const id of ids) await untilGone(id);
  });

  it.skipIf(!probe.isAvailable)('are gone when the program is killed, also contained', async () => {
    const folder = temporaryFolder();
    const program = spawn(process.execPath, ['--input-type=module-typescript', '-e', hostOf(folder, { sandbox: {} })], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    for (const name of ['behind', 'before']) await untilThere(join(folder, name));
    expect(workingIn(folder).length).toBeGreaterThanOrEqual(4);
    program.kill('SIGKILL');
    while (workingIn(folder).length > 0) await wait(10);
  });

  it.each([
    ['contained, where there is a sandbox', {}],
    ['free', { sandbox: { mode: 'off' } }],
  ])('are waited for and stopped also by a program that has nothing else to do, %s', (_, options) => {
    const script = `import { builtinTools } from '${new URL('../src/index.ts', import.meta.url).href}';
      const tools = builtinTools({ ...${JSON.stringify(options)}, notice: () => {} });
      const context = { session: 's', cwd: process.cwd(), signal: new AbortController().signal, progress() {}, paths: [], basis: null };
      const call = (name, input) => tools.find((tool) => tool.name === name).run(input, context);
      const { details } = await call('bash', { command: 'trap "" TERM; echo ready; sleep 60', background: true });
      await call('process', { action: 'output', id: details.process, since: 0, waitMs: 5000 });
      await call('process', { action: 'output', id: details.process, since: 6, waitMs: 300 });
      console.log((await call('process', { action: 'stop', id: details.process })).content);`;
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: temporaryFolder(),
      encoding: 'utf8',
    });
    expect(stdout).toMatch(/was stopped after/);
    expect(status).toBe(0);
  });

  it('keep no program from ending, and leave no logs behind', async () => {
    const folder = temporaryFolder();
    const temporary = temporaryFolder();
    const program = spawn(
      process.execPath,
      ['--input-type=module-typescript', '-e', hostOf(folder, { endsAtOnce: true })],
      { stdio: 'inherit', env: { ...process.env, TMPDIR: temporary } },
    );
    const code = await new Promise((resolve) => program.on('exit', resolve));
    expect(code).toBe(0);
    await untilGone(Number(readFileSync(join(folder, 'behind'), 'utf8')));
    expect(readdirSync(temporary)).toEqual([]);
  });
});

/** Processes whose folder this is. */
function workingIn(folder: string): string[] {
  return readdirSync('/proc').filter((id) => {
    try {
      return /^[0-9]+$/.test(id) && readlinkSync(`/proc/${id}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

/** A program with one process in the background and one command that runs; none of them contained. */
function hostOf(folder: string, { endsAtOnce = false, sandbox = free.sandbox as object } = {}): string {
  const index = fileURLToPath(new URL('../src/index.ts', import.meta.url));
  return `
    import { existsSync } from 'node:fs';
    import { builtinTools } from ${JSON.stringify(index)};
    const bash = builtinTools({ sandbox: ${JSON.stringify(sandbox)} }).find(({ name }) => name === 'bash');
    const signal = new AbortController().signal;
    const scope = { session: 's', cwd: ${JSON.stringify(folder)}, call: 'c', signal, blobs: {}, lastSeen: () => null, paths: [], basis: null, progress() {} };
    await bash.run({ command: 'trap "" TERM HUP; echo $$ > behind; sleep 1000', background: true }, scope);
    ${endsAtOnce ? "while (!existsSync('behind')) await new Promise((resolve) => setTimeout(resolve, 5));".replace("'behind'", JSON.stringify(join(folder, 'behind'))) : 'await bash.run({ command: \'trap "" TERM HUP; echo $$ > before; sleep 1000; true\' }, scope);'}
  `;
}

describe('T4: the log of a background process', () => {
  it('gives any part of the latest output, and says what is lost', () => {
    const folder = temporaryFolder();
    let number = 0;
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }),
        fc.nat(900),
        fc.nat(120),
        (chunks, since, limit) => {
          const log = new OutputLog(join(folder, `${number++}.log`), 100);
          for (const chunk of chunks) log.add(Buffer.from(chunk));
          const whole = Buffer.concat(chunks);
          expect(log.totalBytes).toBe(whole.length);
          const part = log.read(since, limit);
          expect(part.bytes).toEqual(whole.subarray(part.from, part.next));
          expect(part.isLost).toBe(part.from > since);
          expect(part.from === Math.min(since, whole.length) || whole.length - part.from <= 100).toBe(true);
          expect(whole.length - part.from).toBeGreaterThanOrEqual(
            Math.min(whole.length - Math.min(since, whole.length), 50),
          );
          expect(part.next - part.from).toBe(Math.min(limit, whole.length - part.from));
          log.close();
        },
      ),
    );
  });
});
