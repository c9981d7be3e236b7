import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { explainByRules, prepareCommand } from '@pawl/policy';
import { describe, expect, it } from 'vitest';
import { commandEnvironment } from '../../src/environment.ts';
import { withDefaults } from '../../src/options.ts';
import { createSandbox, type Probe } from '../../src/sandbox/index.ts';
import { probeReaders } from '../../src/sandbox/probe-readers.ts';
import { loaderOf } from '../../src/sandbox/program-files.ts';
import { createBackground } from '../../src/shell/background/index.ts';
import { bashTool } from '../../src/shell/bash.ts';
import { runShell } from '../../src/shell/shell.ts';
import { createWorkspace, temporaryFolder } from '../workspace.ts';

const readers = await probeReaders();
if (readers === null) console.log('Skipped, what needs Landlock: this kernel, or a missing perl, does not give it.');
const held = describe.skipIf(readers === null);

const options = withDefaults();
const lacking = (
  found: Extract<Probe, { isAvailable: false }>['readers'],
  mode: 'workspace-write' | 'off' = 'workspace-write',
) =>
  createSandbox(
    { mode },
    {
      notice: () => undefined,
      find: async () => ({
        isAvailable: false,
        reason: 'bubblewrap is not installed.',
        advice: 'Install it.',
        readers: found,
      }),
    },
  );

/** Runs any command as one that only reads is run, with these programs: what if it were not what it was taken for. */
async function runAsReader(folder: string, command: string, programs: string[], read: string[] = []): Promise<string> {
  const launch = await lacking(readers).launch('s', folder, { readers: programs, denies: { read, edit: [] } });
  const end = await runShell({
    command,
    cwd: folder,
    environment: commandEnvironment(options),
    launch,
    timeoutMs: 20_000,
    killGraceMs: 100,
    maxOutputBytes: 100_000,
    signal: new AbortController().signal,
    onOutput: () => undefined,
  });
  return end.output.text();
}

const key = 'deep-secret-of-a-denied-file';

held('P10: a command that only reads, where there is no bubblewrap', () => {
  it('changes nothing: no file, no folder, no name, no mode, no time', async () => {
    const folder = temporaryFolder();
    const outside = temporaryFolder();
    writeFileSync(join(folder, 'a'), 'a');
    const before = statSync(join(folder, 'a'));
    const said = await runAsReader(
      folder,
      `for d in . ${outside} ~ /var/tmp; do echo x > $d/x; >> $d/a; mkdir $d/d; mv a $d/b; rm a; ln a $d/l; ln -s a $d/s; mkfifo $d/p; truncate -s 0 a; chmod 777 a; touch a; cp a $d/c; done; echo written > $TMPDIR/t && cat $TMPDIR/t`,
      ['mkdir', 'mv', 'rm', 'ln', 'mkfifo', 'truncate', 'chmod', 'touch', 'cp', 'cat'],
    );
    expect(said).toMatch(/written\n$/);
    expect(readdirSync(folder)).toEqual(['a']);
    expect(readdirSync(outside)).toEqual([]);
    const { mode, mtimeMs, size } = statSync(join(folder, 'a'));
    expect({ mode, mtimeMs, size }).toEqual({ mode: before.mode, mtimeMs: before.mtimeMs, size: before.size });
  });

  it('runs no other programs than it names, and reaches nobody', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'own'), '#!/bin/bash\necho ran\n', { mode: 0o755 });
    const said = await runAsReader(
      folder,
      `./own; /usr/bin/id; awk 'BEGIN { system("id") }'; cp /usr/bin/id $TMPDIR/id; $TMPDIR/id; echo x > /dev/tcp/127.0.0.1/9; echo end`,
      ['awk', 'cp'],
    );
    expect(said).not.toMatch(/^ran|uid=/m);
    expect(said).toContain('Address family not supported');
    expect(said).toMatch(/end\n$/);
  });

  it('learns nothing of other processes, such as the keys in their environment', async () => {
    const ids = [process.pid, process.ppid, 'self', '*'];
    const files = ids.flatMap((id) => ['environ', 'cmdline', 'maps'].map((name) => `/proc/${id}/${name}`));
    const said = await runAsReader(temporaryFolder(), `cat ${files.join(' ')}; cat /proc/uptime`, ['cat']);
    expect(said).not.toMatch(/PATH=|node|\/usr/);
    expect(said).toContain('Permission denied');
    expect(said).toMatch(/\n[\d. ]+\n$/);
  });

  it('reads its folder and the system, and neither other places, nor what rules deny, whatever way leads there', async () => {
    const folder = temporaryFolder();
    const outside = temporaryFolder();
    mkdirSync(join(folder, 'src/deep'), { recursive: true });
    mkdirSync(join(folder, 'private/x'), { recursive: true });
    for (const path of ['.env', 'src/deep/.env', 'private/x/y']) writeFileSync(join(folder, path), key);
    writeFileSync(join(outside, 'k'), key);
    writeFileSync(join(folder, 'src/deep/open'), 'open');
    symlinkSync('.', join(folder, 'round'));
    symlinkSync('.env', join(folder, 'alias'));
    symlinkSync(outside, join(folder, 'out'));
    linkSync(join(folder, '.env'), join(folder, 'hard'));
    const said = await runAsReader(
      folder,
      `cat .env round/.env alias hard out/k ${outside}/k private/x/y src/deep/.env "$PWD/.env" /proc/self/cwd/.env; grep -r . .; cat src/deep/open; head -c 1 /etc/passwd > /dev/null && echo system`,
      ['cat', 'grep', 'head'],
      ['**/.env', 'private/**'],
    );
    expect(said).toContain('open');
    expect(said).toMatch(/system\n$/);
    expect(said).not.toContain(key);
  });

  it('needs no question, where it needed one without containment, and is asked about where it names other places', async () => {
    const { folder } = createWorkspace();
    const tool = bashTool({ options, sandbox: lacking(readers), background: createBackground(options) });
    const scope = createWorkspace({}, folder).context();
    const asks = async (command: string) => {
      await prepareCommand(command);
      return tool.approval?.({ command }, scope);
    };
    expect(await asks('git status')).toBe(false);
    expect(await asks('ls -la | head -3')).toBe(false);
    expect(await asks('cat ~/notes')).toBe(true);
    expect(await asks('npm test')).toBe(true);
  });

  it('is run by the tool of commands so that git works, also with a repository that would run something', async () => {
    const { folder, context } = createWorkspace();
    execFileSync('git', ['init', '-q', folder]);
    writeFileSync(join(folder, 'evil'), '#!/bin/bash\ntouch /tmp/x ran\n', { mode: 0o755 });
    execFileSync('git', ['config', 'core.fsmonitor', './evil'], { cwd: folder });
    const tool = bashTool({ options, sandbox: lacking(readers), background: createBackground(options) });
    const input = { command: 'git status --short' };
    await prepareCommand(input.command);
    const plan = await tool.plan?.(input, context());
    const outcome = await tool.run(input, context({ basis: plan?.basis ?? null }));
    expect(outcome.content).toContain('?? evil');
    expect(outcome.details).toMatchObject({ isContained: true });
    expect(readdirSync(folder).sort()).toEqual(['.git', 'evil']);
  });
});

describe('P10: where nothing contains commands that only read', () => {
  const subject = (command: string, folder: string, toolAsks: boolean, allow: string[]) =>
    explainByRules({
      layers: [{ name: 'session', rules: { allow, ask: [], deny: [] } }],
      tool: 'bash',
      subjects: [{ kind: 'command', value: command }],
      mode: 'manual',
      effect: 'read',
      toolAsks,
      cwd: folder,
      home: '/h',
    }).ruling.verdict;

  it('one decision of a person lets them run, and nothing else', async () => {
    const { folder, context } = createWorkspace();
    const tool = bashTool({ options, sandbox: lacking(null), background: createBackground(options) });
    const judged = async (command: string, allow: string[] = []) => {
      await prepareCommand(command);
      return subject(command, folder, (await tool.approval?.({ command }, context())) === true, allow);
    };
    expect(await judged('ls -la | head')).toBe('ask');
    expect(await judged('ls -la | head', ['uncontained_reading'])).toBe('allow');
    expect(await judged('cat /etc/passwd', ['uncontained_reading'])).toBe('ask');
    expect(await judged('npm test', ['uncontained_reading'])).toBe('ask');
    expect(await judged('cd src && npm test', ['uncontained_reading'])).toBe('ask');
    const plan = await tool.plan?.({ command: 'ls' }, context());
    expect(JSON.stringify(plan?.preview)).toMatch(/uncontained_reading.*Install it\./);
  });

  it('nobody is asked who has said that there is to be no sandbox', async () => {
    const { context } = createWorkspace();
    const tool = bashTool({ options, sandbox: lacking(null, 'off'), background: createBackground(options) });
    expect(await tool.approval?.({ command: 'ls' }, context())).toBe(false);
  });
});

describe('the loader of a program', () => {
  it('is read from its beginning', () => {
    expect(loaderOf(Buffer.from('#! /bin/sh -e\n'))).toBe('/bin/sh');
    expect(loaderOf(Buffer.from('text'))).toBeNull();
    expect(loaderOf(Buffer.from('\x7fELF\x02\x01', 'latin1'))).toBeNull();
  });
});
