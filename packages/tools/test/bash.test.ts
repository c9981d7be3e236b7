import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { JsonObject } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { createWorkspace, temporaryFolder } from './workspace.ts';

const isAlive = (pid: number) => {
  // A zombie is ended already; it only waits for its parent to notice.
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
};
const readPid = (folder: string, name: string) => Number(readFileSync(join(folder, name), 'utf8'));

/** Polls until a process is gone; the test's own limit ends it otherwise. */
async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await wait(10);
}

/** A program of its own that runs one command, and tells how much more memory that took at its peak than any command. */
const peakOf = `
  import { builtinTools } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
  const [folder, command] = process.argv.slice(1);
  const bash = builtinTools().find(({ name }) => name === 'bash');
  const { signal } = new AbortController();
  const context = { session: 's', cwd: folder, call: 'c', signal, paths: [], basis: null, progress: () => undefined };
  await bash.run({ command: 'seq 1 3 | head -n 1' }, context);
  const before = process.resourceUsage().maxRSS;
  const { outputBytes } = (await bash.run({ command }, context)).details;
  console.log(JSON.stringify({ outputBytes, grownMb: (process.resourceUsage().maxRSS - before) / 1024 }));`;

describe('T4: bash', () => {
  it('runs in the working folder and returns both outputs in their order', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'a'), '');
    const outcome = await call('bash', { command: 'ls; echo err >&2; echo out; printf end' });
    expect(outcome).toMatchObject({ content: 'a\nerr\nout\nend', isError: false, details: { exitCode: 0 } });
    expect((await call('bash', { command: 'true' })).content).toBe('(no output)');
  });

  it('returns the exit code and the output of what fails', async () => {
    const { call } = createWorkspace({ sandbox: { mode: 'off' } });
    expect(await call('bash', { command: 'echo no; exit 3' })).toMatchObject({
      content: 'no\n(Exit code 3.)',
      isError: true,
      details: { exitCode: 3 },
    });
    expect((await call('bash', { command: 'nosuchcommand' })).content).toMatch(
      /nosuchcommand: command not found\n\(Exit code 127\.\)$/,
    );
    expect((await call('bash', { command: 'kill -9 $$' })).content).toBe('(Ended by SIGKILL.)');
    expect((await call('bash', { command: 'if' })).content).toContain('syntax error');
  });

  it('gives programs that wait for input an end of it instead of hanging', async () => {
    const { call } = createWorkspace();
    expect((await call('bash', { command: 'cat; read x; echo "got:$x"' })).content).toBe('got:');
    expect(
      (
        await call('bash', {
          command: 'test -t 0 || test -t 1 || echo no terminal; (: < /dev/tty) 2>/dev/null || echo none to open',
        })
      ).content,
    ).toBe('no terminal\nnone to open');
  });

  it('ends pipes as a shell does', async () => {
    const { call } = createWorkspace();
    expect((await call('bash', { command: 'yes | head -2' })).content).toBe('y\ny');
  });

  it('does not wait for what runs on in the background and holds the output', async () => {
    const { folder, call } = createWorkspace({ sandbox: { mode: 'off' } });
    const outcome = await call('bash', { command: 'echo before; sleep 1000 & echo $! > pid; echo after' });
    const pid = readPid(folder, 'pid');
    try {
      expect(outcome.content).toMatch(/^before\nafter\n\(Something that it started still runs/);
      expect(outcome.details?.durationMs).toBeLessThan(5000);
      expect(isAlive(pid)).toBe(true);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  it('does not wait for a daemon that left the group and writes on', async () => {
    const { folder, call } = createWorkspace({ sandbox: { mode: 'off' } });
    const outcome = await call('bash', {
      command:
        "setsid bash -c 'echo $$ > pid; while :; do echo x; sleep 0.01; done' & while ! test -s pid; do sleep 0.01; done; echo here",
    });
    const pid = readPid(folder, 'pid');
    try {
      expect(outcome.content).toContain('here');
      expect(isAlive(pid)).toBe(true);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

  it('at its time limit ends the whole process group, also what ignores a friendly end', async () => {
    const { folder, call } = createWorkspace({ killGraceMs: 100, sandbox: { mode: 'off' } });
    const command =
      "trap '' TERM; (trap '' TERM; echo $BASHPID > child; sleep 1000) & echo $$ > parent; echo started; sleep 1000";
    const outcome = await call('bash', { command, timeoutMs: 700 });
    expect(outcome).toMatchObject({ isError: true, details: { isTimedOut: true } });
    expect(outcome.content).toMatch(/^started\n\(Not finished after 700 ms/);
    await untilGone(readPid(folder, 'parent'));
    await untilGone(readPid(folder, 'child'));
  });

  it('ends the whole process group when it is cancelled, and keeps what was said so far', async () => {
    const { folder, call } = createWorkspace({ sandbox: { mode: 'off' } });
    const controller = new AbortController();
    const running = call(
      'bash',
      { command: 'echo said; sleep 1000 & echo $! > child; wait' },
      { signal: controller.signal },
    );
    while (!existsSync(join(folder, 'child')) || readFileSync(join(folder, 'child'), 'utf8') === '') await wait(5);
    controller.abort(new Error('stop'));
    const outcome = await running;
    expect(outcome.isError).toBe(true);
    expect(outcome.content).toMatch(/^said\n\(Cancelled/);
    await untilGone(readPid(folder, 'child'));
    await expect(
      call('bash', { command: 'touch never' }, { signal: AbortSignal.abort(new Error('stop')) }),
    ).rejects.toThrow('stop');
    expect(existsSync(join(folder, 'never'))).toBe(false);
  });

  it('keeps the beginning and the end of an output of any length', async () => {
    const { call } = createWorkspace();
    const outcome = await call('bash', {
      command: 'echo first; head -c 200000000 /dev/zero | tr "\\0" x; echo; echo last',
    });
    expect(outcome.content.startsWith('first\nxxx')).toBe(true);
    expect(outcome.content.endsWith('xxx\nlast')).toBe(true);
    expect(outcome.content).toMatch(/\n\.\.\. \[198000012 bytes omitted\] \.\.\.\n/);
    expect(outcome.details).toMatchObject({ outputBytes: 200_000_012, omittedBytes: 198_000_012 });
    expect(outcome.content.length).toBeLessThan(2_000_100);
  });

  it.each([
    ['a gigabyte of lines', 'seq 1 200000000 | head -c 1000000000', 1_000_000_000],
    ['a million writes of a byte', 'for ((i = 0; i < 1000000; i++)); do printf x; done', 1_000_000],
  ])('takes %s in flat memory', (_, command, bytes) => {
    const child = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', peakOf, createWorkspace().folder, command],
      { encoding: 'utf8' },
    );
    const { grownMb, outputBytes } = JSON.parse(child.stdout);
    expect(outputBytes).toBe(bytes);
    expect(grownMb).toBeLessThan(60);
  });

  it('shows output while it comes', async () => {
    const { call, progress } = createWorkspace();
    await call('bash', { command: 'echo one; sleep 0.3; echo two; sleep 0.3; echo three' });
    expect(progress.join('')).toContain('one\n');
    expect(progress.length).toBeLessThan(6);
  });

  it('hands no keys to commands, and nothing that pages, prompts or draws', async () => {
    const secrets = {
      ANTHROPIC_API_KEY: 'k1',
      OPENAI_API_KEY: 'k2',
      GITHUB_TOKEN: 'k3',
      AWS_SECRET_ACCESS_KEY: 'k4',
      MY_SECRET: 'k5',
      DB_PASSWORD: 'k6',
      npm_token: 'k7',
      GOOGLE_APPLICATION_CREDENTIALS: 'k8',
      MY_TOKEN: 'k9',
    };
    const { call } = createWorkspace({
      environment: { ...process.env, ...secrets, KEYBOARD: 'de', TOKENIZERS_PARALLELISM: '1', HOME: '/home/x' },
      keptVariables: ['MY_TOKEN'],
    });
    const { content } = await call('bash', { command: 'env' });
    expect(content).not.toMatch(/=k[1-8]$/m);
    for (const line of [
      'MY_TOKEN=k9',
      'KEYBOARD=de',
      'TOKENIZERS_PARALLELISM=1',
      'HOME=/home/x',
      'PAGER=cat',
      'GIT_PAGER=cat',
      'GIT_TERMINAL_PROMPT=0',
      'TERM=dumb',
    ]) {
      expect(content.split('\n')).toContain(line);
    }
    expect(content).toMatch(/^PATH=/m);
  });

  it('gives the model text: no escape sequences, no broken bytes (scenario 53)', async () => {
    const { call } = createWorkspace();
    const command = String.raw`printf 'a\033[31mred\033[0m \033]52;c;QUJD\007b\033]0;title\033\\c\0d\r\ne\rf\xff\xfe g\u009b31mh\033(Bi\n'`;
    expect((await call('bash', { command })).content).toBe('ared bcd\ne\nf\ufffd\ufffd ghi');
  });

  it('waits for others where it leaves the sandbox, however certain its text is', async () => {
    const { folder, tool, context } = createWorkspace();
    const paths = (input: JsonObject) => tool('bash').paths?.(input, context());
    expect(await paths({ command: 'touch a' })).toEqual([join(folder, 'a')]);
    expect(await paths({ command: 'touch a', outside: true })).toEqual([]);
  });

  it('is a read only for commands of the table, and asks for all else and for what lies outside', async () => {
    const { tool, context } = createWorkspace({ sandbox: { mode: 'off' } });
    const { effect, approval } = tool('bash');
    const effectOf = (command: string) => (typeof effect === 'function' ? effect({ command }) : effect);
    expect(effectOf('ls -l')).toBe('read');
    expect(await approval?.({ command: 'ls -l' }, context())).toBe(false);
    expect(await approval?.({ command: 'cat /etc/passwd' }, context())).toBe(true);
    expect(effectOf('git status')).toBe('idempotent');
    expect(await approval?.({ command: 'git status' }, context())).toBe(true);
    for (const command of ['git push', 'ls > x', 'cat $(rm x)', 'PAGER=x git log', 'npm test']) {
      expect(effectOf(command)).toBe('external');
      expect(await approval?.({ command }, context())).toBe(true);
    }
  });

  it('shows whoever approves it the exact command', async () => {
    const { plan } = createWorkspace();
    expect((await plan('bash', { command: 'echo \u202e\u001b[2K; rm x' })).plan.preview).toEqual({
      kind: 'text',
      text: 'echo \\u{202e}\\u{1b}[2K; rm x',
    });
  });

  it('refuses what no program can be given, and leaves nothing open', async () => {
    const { call } = createWorkspace();
    await call('bash', { command: 'true' });
    const open = () => readdirSync('/proc/self/fd').length;
    const before = open();
    for (const command of [`: ${'x'.repeat(140_000)}`, 'echo \0', 'x'.repeat(131_072)])
      await expect(call('bash', { command })).rejects.toMatchObject({ code: 'bad_command' });
    expect((await call('bash', { command: `: ${'x'.repeat(131_069)}` })).isError).toBe(false);
    // The lines of the last command close a moment later.
    await expect.poll(open).toBeLessThanOrEqual(before);
  });

  it.each([
    ['contained, where there is a sandbox', {}],
    ['free', { sandbox: { mode: 'off' as const } }],
  ])('hands on no descriptor that this program was started with, %s', async (_, options) => {
    const workspace = new URL('../src/index.ts', import.meta.url).href;
    const script = `import { builtinTools } from '${workspace}';
      const options = { ...${JSON.stringify(options)}, notice: () => {} };
      const bash = builtinTools(options).find(({ name }) => name === 'bash');
      const context = { session: 's', cwd: process.cwd(), signal: new AbortController().signal, progress() {}, paths: [], basis: null };
      console.log((await bash.run({ command: 'ls /dev/fd/; cat /dev/fd/200/etc/hostname' }, context)).content);`;
    const words = [process.execPath, '--input-type=module', '-e', script];
    const said = execFileSync('/bin/bash', ['-c', 'exec "$@" 200</', 'bash', ...words], {
      cwd: temporaryFolder(),
      encoding: 'utf8',
    });
    // The last one is the folder that ls looks into.
    expect(said.split('\n').slice(0, 4)).toEqual(['0', '1', '2', '3']);
    expect(said).toContain('No such file');
  });

  it.each([
    ['contained, where there is a sandbox', {}],
    ['free', { mode: 'off' as const }],
  ])('has bash read its settings and functions for the command alone, %s', async (_, sandbox) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'settings'), 'echo read\n');
    const environment = {
      PATH: process.env.PATH,
      BASH_ENV: join(folder, 'settings'),
      'BASH_FUNC_exec%%': '() {  echo called\n}',
    };
    const { call } = createWorkspace({ sandbox, environment }, folder);
    expect((await call('bash', { command: 'echo said; exec; type -t exec' })).content).toBe(
      'read\nsaid\ncalled\nfunction',
    );
  });

  it('says so when it cannot start', async () => {
    const { tool, context } = createWorkspace();
    await expect(tool('bash').run({ command: 'ls' }, context({ cwd: '/nonexistent' }))).rejects.toMatchObject({
      code: 'no_shell',
    });
  });
});
