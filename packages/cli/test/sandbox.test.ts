import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { type WireServer, wireServer } from '@pawl/models/testing';
import { probeSandbox } from '@pawl/tools';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, type Place, pawl, serverEnv } from './pawl.ts';

const probe = await probeSandbox();
if (!probe.isAvailable) console.log(`Skipped, what needs a sandbox: ${probe.reason}`);

let server: WireServer;
let call: { tool: string; input: Record<string, string | boolean> };
let seen = '';
beforeAll(async () => {
  server = await wireServer((request) => {
    seen = JSON.stringify(request.messages);
    const isFirst = request.messages.every((message) => message.role !== 'assistant');
    return isFirst ? { text: 'So.', calls: [call] } : { text: 'Done.' };
  });
});
afterAll(() => server.close());

function configure(place: Place, config: string): void {
  const path = join(place.home, '.config', 'pawl', 'config.yaml');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, config);
}

const run = (place: Place, mode: string, args: string[] = [], env: Record<string, string> = {}) =>
  pawl(place, ['run', '--permission-mode', mode, ...args, 'Go.'], { env: { ...serverEnv(server.url), ...env } });

describe.skipIf(!probe.isAvailable)('pawl run, contained (P10)', () => {
  it('runs commands in the sandbox, without a question in accept-edits', async () => {
    const place = makePlace();
    // What names a place elsewhere is asked about all the same.
    call = { tool: 'bash', input: { command: 'touch made; make -f /etc/hosts' } };
    expect((await run(place, 'accept-edits')).code).toBe(3);
    call.input.command = 'touch made; touch "$HOME/x"; touch /usr/pawl-x; ls -A "$PAWL_HOME"; true';
    const { code } = await run(place, 'accept-edits');
    expect(code).toBe(0);
    expect(existsSync(join(place.folder, 'made'))).toBe(true);
    expect(existsSync(join(place.home, 'x'))).toBe(false);
    expect(seen).toContain('Read-only file system');
    expect(seen).not.toContain('pawl.db');
  });

  it('asks nobody before git status, and says so beforehand', async () => {
    const place = makePlace();
    execFileSync('git', ['init', '-q', place.folder]);
    writeFileSync(join(place.folder, 'new.txt'), 'x');
    call = { tool: 'bash', input: { command: 'git status --short && git branch --show-current' } };
    expect((await run(place, 'manual')).code).toBe(0);
    expect(seen).toContain('?? new.txt');
    expect((await run(place, 'manual', ['--sandbox', 'off'])).code).toBe(3);
    const explained = async (...args: string[]) => (await pawl(place, ['policy', 'explain', ...args])).stdout;
    expect(await explained('bash(git status)')).toMatch(/^allow/);
    expect(await explained('bash(npm test)')).toMatch(/^ask/);
    expect(await explained('bash(npm test)', '--permission-mode', 'accept-edits')).toMatch(/^allow/);
    configure(place, 'sandbox: off');
    expect(await explained('bash(git status)')).toMatch(/^ask/);
  });

  it('lets nothing out of it where nobody is there to be asked, whatever the mode', async () => {
    const place = makePlace();
    call = { tool: 'bash', input: { command: 'touch "$HOME/x"', outside: true } };
    expect((await run(place, 'auto', ['--allow', 'bash'])).code).toBe(3);
    expect(existsSync(join(place.home, 'x'))).toBe(false);
    call = { tool: 'bash', input: { command: 'touch "$HOME/x"' } };
    expect((await run(place, 'auto', ['--sandbox', 'off'])).code).toBe(0);
    expect(existsSync(join(place.home, 'x'))).toBe(true);
  });

  it('contains the check of a person, which needs no leave, as any other command (E14)', async () => {
    const place = makePlace();
    call = { tool: 'done', input: { message: 'Over.' } };
    const verify = 'touch made "$HOME/x"; touch /usr/pawl-x';
    const { code, stderr } = await run(place, 'manual', ['--until-done', '--verify', verify]);
    expect(stderr).toContain('✗ The check failed');
    expect(code).toBe(6);
    expect(existsSync(join(place.folder, 'made'))).toBe(true);
    expect(existsSync(join(place.home, 'x'))).toBe(false);
  });

  it('lets the check of a person change nothing in plan mode (E14)', async () => {
    const place = makePlace();
    call = { tool: 'done', input: { message: 'Over.' } };
    const { code, stderr } = await run(place, 'plan', ['--until-done', '--verify', 'touch made']);
    expect(stderr).toContain('✗ The check failed');
    expect(code).toBe(6);
    expect(existsSync(join(place.folder, 'made'))).toBe(false);
  });

  it('changes nothing in read-only and in plan mode', async () => {
    const place = makePlace();
    call = { tool: 'bash', input: { command: 'node -e "1"; touch made' } };
    for (const [mode, args] of [
      ['plan', []],
      ['auto', ['--sandbox', 'read-only']],
    ] as const) {
      expect((await run(place, mode, [...args])).code).toBe(0);
      expect(seen).toContain('Read-only file system');
      expect(existsSync(join(place.folder, 'made'))).toBe(false);
    }
  });

  it('takes what the settings say, of which a project can only narrow it', async () => {
    const place = makePlace({ '.pawl/config.yaml': 'sandbox: off\nsandboxNetwork: on\n' });
    call = { tool: 'bash', input: { command: 'touch "$HOME/x"; touch made' } };
    configure(place, 'sandbox: read-only\n');
    const { stderr } = await run(place, 'auto');
    expect(stderr).toContain('sandbox: ignored, because a project may not let its commands out');
    expect(stderr).toContain('sandboxNetwork: ignored');
    expect(existsSync(join(place.folder, 'made'))).toBe(false);
    configure(place, 'sandbox: off\n');
    await run(place, 'auto');
    expect(existsSync(join(place.home, 'x'))).toBe(true);
  });
});

describe.skipIf(!probe.isAvailable || probe.mechanism.kind !== 'bubblewrap')(
  'pawl run with a list of hosts (P10)',
  () => {
    const listed = async () => {
      let requests = 0;
      const site = createServer((_, response) => {
        requests += 1;
        response.end('reached');
      });
      await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void site.close());
      const { port } = site.address() as AddressInfo;
      return { port, requests: () => requests };
    };
    const asks = (port: number, more = '') => ({
      tool: 'bash',
      input: { command: `touch made; curl -sS http://127.0.0.1:${port}/ ${more}; true` },
    });

    it('lets commands reach those, without a question in accept-edits, and no others', async () => {
      const site = await listed();
      const place = makePlace();
      configure(place, `sandboxNetwork: ["127.0.0.1:${site.port}"]\n`);
      call = asks(site.port, 'https://evil.example/');
      expect((await run(place, 'accept-edits')).code).toBe(0);
      expect(site.requests()).toBe(1);
      expect(seen).toContain('reached');
      expect(seen).toContain('The sandbox refused network access to evil.example:443.');
      expect((await run(place, 'manual')).code).toBe(3);
      expect(site.requests()).toBe(1);
    });

    it('reaches nothing in plan mode', async () => {
      const site = await listed();
      const place = makePlace();
      configure(place, `sandboxNetwork: ["127.0.0.1:${site.port}"]\n`);
      call = asks(site.port);
      expect((await run(place, 'plan')).code).toBe(0);
      expect(site.requests()).toBe(0);
    });

    it('asks all the same where it is a project that names them, of what the user leaves open', async () => {
      const site = await listed();
      const place = makePlace({ '.pawl/config.yaml': `sandboxNetwork: ["127.0.0.1:${site.port}"]\n` });
      call = asks(site.port, 'http://127.0.0.1:9/');
      const { stderr } = await run(place, 'accept-edits');
      expect(stderr).toContain('sandboxNetwork: ignored, because a project may not let its commands out');
      expect(site.requests()).toBe(0);
      configure(place, 'sandboxNetwork: on\n');
      expect((await run(place, 'accept-edits')).code).toBe(3);
      expect(site.requests()).toBe(0);
      expect((await run(place, 'auto')).code).toBe(0);
      expect(site.requests()).toBe(1);
      expect(seen).toContain('The sandbox refused network access to 127.0.0.1:9.');
    });
  },
);

describe('pawl run without a sandbox (P10)', () => {
  it('says so once, and asks', async () => {
    const place = makePlace();
    call = { tool: 'bash', input: { command: 'touch made' } };
    const bin = join(place.home, 'bin');
    mkdirSync(bin);
    const { code, stderr } = await run(place, 'accept-edits', [], { PATH: bin });
    expect(code).toBe(3);
    expect(stderr.split('There is no sandbox: bubblewrap is not installed.')).toHaveLength(2);
    expect(existsSync(join(place.folder, 'made'))).toBe(false);
  });
});

describe('pawl run and the user’s keys (P11)', () => {
  it('gives them to no command, and takes them out of what commands say', async () => {
    const key = 'sk-ant-test-0123456789abcdef';
    const place = makePlace({ 'notes.txt': `the key is ${key}\n` });
    call = {
      tool: 'bash',
      input: { command: 'env | grep -c KEY; cat notes.txt; base64 -w0 notes.txt' },
    };
    const { stdout, stderr } = await run(place, 'auto', ['--output-format', 'stream-json'], { ANTHROPIC_API_KEY: key });
    expect(stdout + stderr).toContain('the key is [secret]');
    expect(stdout + stderr + seen).not.toContain(key);
    expect(stdout).not.toContain(Buffer.from(key.slice(2, -3)).toString('base64').slice(2, -2));
    const database = readFileSync(join(place.home, 'pawl', 'pawl.db'), 'latin1');
    expect(database).not.toContain(key);
  });
});
