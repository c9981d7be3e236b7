import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { wireServer } from '@pawl/models/testing';
import { probeSandbox } from '@pawl/tools';
import { describe, expect, it } from 'vitest';
import { makePlace, type Place, pawl } from './pawl.ts';

const probe = await probeSandbox();
const hasList = probe.isAvailable && probe.mechanism.kind === 'bubblewrap';
if (!hasList) console.log('Skipped, what needs bubblewrap.');

type Finding = { about: string; state: string; detail: string; advice: string | null };

function configure(place: Place, config: string): string {
  const path = join(place.home, '.config', 'pawl', 'config.yaml');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, config);
  return path;
}

async function doctor(place: Place, args: string[] = [], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await pawl(place, ['doctor', '--json', ...args], { env });
  const { isWell, findings } = JSON.parse(stdout) as { isWell: boolean; findings: Finding[] };
  return { code, stderr, isWell, of: (about: string) => findings.filter((finding) => finding.about === about) };
}

describe('pawl doctor (H9)', () => {
  it('looks at settings, data, log and tools, and is well where they are', async () => {
    const place = makePlace();
    const { code, isWell, of } = await doctor(place, [], { PAWL_MODEL: 'demo' });
    expect([code, isWell]).toEqual([0, true]);
    for (const about of ['configuration', 'node', 'data', 'log', 'bash', 'ripgrep', 'model']) {
      expect(of(about)).toMatchObject([{ state: 'ok' }]);
    }
    const { stdout } = await pawl(place, ['doctor'], { env: { PAWL_MODEL: 'demo' } });
    expect(stdout).toMatch(/^✓ configuration {2}none; it would be .*config\.yaml\n/);
    // Where there is no sandbox, that is one thing to look at.
    expect(stdout).toMatch(/All is well\.\n$|All works, with 1 thing to look at\.\n$/);
    expect(of('sandbox')).toHaveLength(1);
    expect(stdout).not.toContain('\u001b');
  });

  it.skipIf(!hasList)('shows the hosts that commands reach, and that they reach no others (P10)', async () => {
    const place = makePlace();
    configure(place, 'sandboxNetwork: [registry.npmjs.org, "*.example.com"]\n');
    const { of } = await doctor(place);
    expect(of('sandbox')).toMatchObject([{ state: 'ok', detail: expect.stringContaining('a list of hosts') }]);
    expect(of('network')).toMatchObject([
      { state: 'ok', detail: 'commands reach only registry.npmjs.org, *.example.com' },
    ]);
    configure(place, 'sandboxNetwork: off\n');
    expect((await doctor(place)).of('network')).toEqual([]);
  });

  it('says what to do about settings that are wrong, and exits with 1', async () => {
    const place = makePlace();
    const path = configure(place, 'limits: { steps: x }\n');
    const { code, isWell, of } = await doctor(place);
    expect([code, isWell]).toEqual([1, false]);
    expect(of('configuration')).toMatchObject([
      { state: 'failed', detail: expect.stringContaining(`${path}: limits.steps`) },
    ]);
    expect(of('log')).toMatchObject([{ state: 'ok' }]);
  });

  it('finds a missing key, a key that others can read, and what a project may not set', async () => {
    const place = makePlace({ '.pawl/config.yaml': 'mode: auto\n', key: 'abcdefghijklmnopqrstuvwxyz' });
    const file = join(place.folder, 'key');
    chmodSync(file, 0o644);
    configure(place, `providers: { openai: { keys: [{ file: ${file} }, { env: NOPE }] } }\n`);
    const { code, of } = await doctor(place);
    expect(code).toBe(0);
    expect(of('configuration')).toMatchObject([
      { state: 'ok' },
      { state: 'warning', detail: expect.stringContaining('mode: ignored') },
    ]);
    expect(of('keys')).toMatchObject([{ state: 'warning', advice: `Run: chmod 600 ${file}` }]);
    expect(of('keys of openai').map(({ state }) => state)).toEqual(['warning', 'ok']);
    expect(of('model')).toMatchObject([{ state: 'warning', detail: 'none is the default' }]);
  });

  it('shows which providers go through which proxy, without its password (M1)', async () => {
    const place = makePlace();
    const env = {
      ANTHROPIC_API_KEY: 'abcdefghijklmnopqrstuvwxyz',
      OPENAI_API_KEY: 'abcdefghijklmnopqrstuvwxyz',
      GROQ_API_KEY: 'abcdefghijklmnopqrstuvwxyz',
      OPENAI_BASE_URL: 'http://127.0.0.1:9/v1',
      HTTPS_PROXY: 'http://me:hunter2@proxy.example:3128',
      HTTP_PROXY: 'http://me:hunter2@proxy.example:3128',
      NO_PROXY: 'groq.com',
    };
    const { of } = await doctor(place, [], env);
    expect(of('proxy')).toEqual([
      { about: 'proxy', state: 'ok', detail: 'anthropic goes through http://proxy.example:3128', advice: null },
    ]);
    expect(JSON.stringify(of('proxy'))).not.toContain('hunter2');
    const local = await doctor(place, [], { ...env, ANTHROPIC_API_KEY: '' });
    expect(local.of('proxy')).toMatchObject([{ state: 'ok', detail: expect.stringContaining('none is used') }]);
    const bad = await doctor(place, [], { ...env, HTTPS_PROXY: 'socks5://me:hunter2@proxy.example' });
    expect(bad.code).toBe(1);
    expect(bad.of('proxy')).toMatchObject([{ state: 'failed', detail: expect.stringContaining('HTTPS_PROXY') }]);
    expect((await doctor(place)).of('proxy')).toEqual([]);
  });

  it('says which variable holds no address, without showing it', async () => {
    const url = 'http://user:hunter2@localhost:1';
    const { code, of } = await doctor(makePlace(), [], { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: url });
    expect(code).toBe(1);
    expect(of('models')).toMatchObject([{ state: 'failed', detail: expect.stringContaining('ANTHROPIC_BASE_URL') }]);
    const run = await pawl(makePlace(), ['run', '-m', 'anthropic/m', 'Hi'], { env: { ANTHROPIC_BASE_URL: url } });
    expect(run.code).toBe(2);
    expect(run.stderr).not.toContain('hunter2');
  });

  it('asks no model unless it is told to', async () => {
    const server = await wireServer([]);
    await doctor(makePlace(), [], {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'k',
      PAWL_MODEL: 'anthropic/x',
    });
    expect(server.requests).toEqual([]);
    await server.close();
  });

  it('asks each configured model with each key for a word, and tells what to do about every failure', async () => {
    const server = await wireServer(({ model, headers }) => {
      if (model === 'gone') return { status: 404, error: { type: 'not_found_error', message: 'model: gone' } };
      if (model === 'silent') return { text: 'late', after: new Promise(() => undefined) };
      if (headers['x-api-key'] === 'wrong-key')
        return { status: 401, error: { type: 'authentication_error', message: 'invalid x-api-key' } };
      return { text: 'ok' };
    });
    const place = makePlace();
    configure(
      place,
      `providers:\n  mine: { wire: anthropic, baseUrl: "${server.url}", keys: [{ env: GOOD }, { env: BAD }] }\n  one: { wire: anthropic, baseUrl: "${server.url}", keys: [{ env: GOOD }] }\n  off: { wire: openai-chat, baseUrl: "http://127.0.0.1:9/v1" }\npools: { smart: [mine/m, one/gone, one/silent, off/x] }\nmodel: smart\n`,
    );
    const { code, of } = await doctor(place, ['--models', '--timeout', '5s'], { GOOD: 'good-key', BAD: 'wrong-key' });
    expect(code).toBe(1);
    expect(of('mine/m (GOOD)')).toMatchObject([{ state: 'ok', detail: expect.stringMatching(/^answers in /) }]);
    expect(of('mine/m (BAD)')).toMatchObject([{ state: 'failed', advice: expect.stringContaining('key') }]);
    expect(of('one/gone')).toMatchObject([{ state: 'failed', advice: expect.stringContaining('pawl models one/') }]);
    expect(of('one/silent')).toMatchObject([{ state: 'failed', detail: 'no answer in 5 s' }]);
    expect(of('off/x')).toMatchObject([{ state: 'failed', detail: expect.stringContaining('No connection') }]);
    for (const { body } of server.requests) expect(body.max_tokens).toBe(16);
    expect(server.requests).toHaveLength(4);
    await server.close();
  });

  it('asks the cheapest model of each provider with a key where no model is configured, or those that are named', async () => {
    const server = await wireServer(() => ({ text: 'ok' }));
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k' };
    const cheapest = await doctor(makePlace(), ['--models'], env);
    expect([cheapest.code, server.requests.length]).toEqual([0, 1]);
    expect(server.requests[0]?.model).toContain('haiku');
    const named = await doctor(makePlace(), ['--models', 'anthropic/x', 'nobody/y'], env);
    expect(named.of('anthropic/x')).toMatchObject([{ state: 'ok' }]);
    expect(named.of('nobody/y')).toMatchObject([{ state: 'failed' }]);
    await server.close();
  });
});
