import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../src/config/config.ts';
import { makePlace, type Place, pawl, serverEnv } from './pawl.ts';

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const userConfig = (place: Place, text: string) => write(join(place.home, '.config', 'pawl', 'config.yaml'), text);
const projectConfig = (place: Place, text: string) => write(join(place.folder, '.pawl', 'config.yaml'), text);
const json = async (place: Place, args: string[]) => JSON.parse((await pawl(place, [...args, '--json'])).stdout);

describe('P1: pawl policy', () => {
  it('explains of each part of a call which rule decides, of which layer, and runs nothing', async () => {
    const place = makePlace();
    userConfig(place, 'rules:\n  allow: ["Bash(git *)"]\n  deny: ["Read(~/.ssh/**)"]\n');
    projectConfig(place, 'rules:\n  deny: ["bash(rm -rf *)"]\n');
    const { code, stdout } = await pawl(place, ['policy', 'explain', 'bash(git log && sudo rm -fr x)']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^deny {2}bash\(git log && sudo rm -fr x\)$/m);
    expect(stdout).toMatch(/allow {2}git log +allow bash\(git \*\) +user/);
    expect(stdout).toMatch(/deny {3}rm -fr x +deny bash\(rm -rf \*\) +project/);
    expect(stdout).toContain('bash(rm -rf *) is denied by the project rules.');

    const asked = await json(place, ['policy', 'explain', 'bash(git log > "a b" | cat ~/.ssh/id)']);
    expect(asked).toMatchObject({ verdict: 'deny', rule: 'deny read(~/.ssh/**)', tool: 'bash' });
    expect(asked.parts).toHaveLength(3);
    expect(await json(place, ['policy', 'explain', 'Edit(a.ts)'])).toMatchObject({ verdict: 'ask', rule: 'tool edit' });
    const mode = ['--permission-mode', 'accept-edits'];
    expect(await json(place, ['policy', 'explain', 'edit(a.ts)', ...mode])).toMatchObject({ verdict: 'allow' });
    expect(await json(place, ['policy', 'explain', 'mcp__x__y'])).toMatchObject({ verdict: 'ask' });
  });

  it('says of a tool without arguments what it would do, and of one that is not there that it is not', async () => {
    const place = makePlace();
    for (const tool of ['git_status', 'todo', 'ask']) {
      expect(await json(place, ['policy', 'explain', tool])).toMatchObject({ verdict: 'allow' });
    }
    for (const tool of ['bash', 'git_commit', 'edit']) {
      expect(await json(place, ['policy', 'explain', tool])).toMatchObject({ verdict: 'ask' });
    }
    const { stderr } = await pawl(place, ['policy', 'explain', 'bsh(ls)']);
    expect(stderr).toContain('There is no tool "bsh" here');
  });

  it('says which parts of a command need no question, and which rule would allow the others', async () => {
    const place = makePlace();
    const explained = await json(place, ['policy', 'explain', 'bash(cd src && npm run test a | head -5)']);
    expect(explained).toMatchObject({ verdict: 'ask', rule: 'tool bash' });
    expect(explained.parts).toMatchObject([{ verdict: 'allow' }, { verdict: 'ask' }, { verdict: 'allow' }]);
    expect(explained.suggestions).toContain('bash(npm run test *)');
    userConfig(place, 'rules:\n  ask: [bash]\n');
    expect(await json(place, ['policy', 'explain', 'bash(npm test)'])).toMatchObject({
      verdict: 'ask',
      suggestions: [],
    });
  });

  it('names the setting that rules of other programs belong to', async () => {
    const place = makePlace();
    userConfig(place, '{ "permissions": { "allow": ["Bash(ls)"] } }');
    const { code, stderr } = await pawl(place, ['policy', 'list']);
    expect(code).toBe(2);
    expect(stderr).toContain('permissions: there is no such setting. Did you mean "rules"?');
  });

  it('says how a call is written that is none', async () => {
    const { code, stderr } = await pawl(makePlace(), ['policy', 'explain', '(git log)']);
    expect(code).toBe(2);
    expect(stderr).toContain("pawl policy explain 'bash(git log && rm x)'");
    const bare = await pawl(makePlace(), ['policy', 'explain', 'git log -3']);
    expect(bare.stderr).toContain("pawl policy explain 'bash(git log -3)'");
  });

  it('lists the rules of every layer in our words, and removes one with all else kept', async () => {
    const place = makePlace();
    const path = userConfig(place, '# mine\nrules:\n  allow:\n    # why\n    - Bash(npm run test:*)\n    - bash(ls)\n');
    projectConfig(place, 'rules:\n  ask: [edit]\n');
    const { rules } = await json(place, ['policy', 'list']);
    expect(rules).toMatchObject([
      { list: 'allow', rule: 'bash(npm run test *)', layer: 'user', from: path },
      { list: 'allow', rule: 'bash(ls)', layer: 'user' },
      { list: 'ask', rule: 'edit', layer: 'project' },
    ]);
    expect((await pawl(place, ['policy', 'remove', 'bash(npm run test *)'])).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(/^# mine\nrules:\n {2}allow:\n(?: {4}# why\n)? {4}- bash\(ls\)\n$/);
    const again = await pawl(place, ['policy', 'remove', 'bash(npm run test *)']);
    expect(again.code).not.toBe(0);
    expect(again.stderr).toContain('pawl policy list');
  });

  it('lists and removes the rules of a session, which is not taken up for it', async () => {
    const place = makePlace({ 'a.ts': '// TODO: x\n' });
    const ran = await pawl(place, [
      'run',
      '--model',
      'demo',
      '--allow',
      'write',
      '--deny',
      'bash(curl *)',
      '--session-id',
      's-1',
      'Find every TODO and write a report to TODO.md',
    ]);
    expect(ran.code).toBe(0);
    const rulesOf = async () => (await json(place, ['policy', 'list', '-s', 's-1'])).rules;
    expect(await rulesOf()).toMatchObject([
      { list: 'deny', rule: 'bash(curl *)', layer: 'session' },
      { list: 'allow', rule: 'write', layer: 'session' },
    ]);
    expect(await json(place, ['policy', 'explain', 'bash(curl x)', '-s', 's-1'])).toMatchObject({ verdict: 'deny' });
    expect((await pawl(place, ['policy', 'remove', 'write', '-s', 's-1'])).code).toBe(0);
    expect(await rulesOf()).toMatchObject([{ rule: 'bash(curl *)' }]);
    expect((await pawl(place, ['sessions', 'show', 's-1'])).code).toBe(0);
  });
});

describe('P1: pawl trust (scenario 47)', () => {
  const settings = 'rules:\n  allow: [bash]\n';

  it('shows what a project brings along, and lets it be trusted only by a word of yours', async () => {
    const place = makePlace();
    projectConfig(place, settings);
    const asked = await pawl(place, ['trust']);
    expect(asked.code).toBe(2);
    expect(asked.stdout).toContain('rules.allow: lets calls run without a question');
    expect(await json(place, ['trust', 'list'])).toEqual({ projects: [] });
    expect((await pawl(place, ['trust', '--yes'])).stdout).toContain('Trusted, until any of it changes.');
    expect(await json(place, ['trust'])).toMatchObject({ state: 'trusted', isTrusted: true });
    expect((await json(place, ['trust', 'list'])).projects).toMatchObject([{ folder: place.folder, isThere: true }]);
  });

  it('asks again when any of it changes, and forgets when told to', async () => {
    const place = makePlace();
    projectConfig(place, settings);
    await pawl(place, ['trust', '--yes']);
    projectConfig(place, 'rules:\n  allow: [bash, edit]\n');
    const changed = await pawl(place, ['trust']);
    expect(changed.code).toBe(2);
    expect(changed.stdout).toContain('has changed since it was trusted');
    projectConfig(place, settings);
    expect((await pawl(place, ['trust', 'remove'])).code).toBe(0);
    expect(await json(place, ['trust', 'list'])).toEqual({ projects: [] });
  });

  it('lets what was trusted take effect, until it changes, and never what is the user’s alone', async () => {
    const place = makePlace();
    const ship = (mode: string) =>
      projectConfig(
        place,
        `mode: ${mode}\nsandbox: off\nvariants: { high: { body: { a: 1 } } }\nrules: { allow: [bash] }\nproviders: { openai: { baseUrl: "http://x" } }\n`,
      );
    const read = () => readConfig({ folder: place.folder, environment: place.env });
    ship('auto');
    expect(await read()).toMatchObject({ mode: null, projectRules: { allow: [] }, models: { variants: {} } });
    await pawl(place, ['trust', '--yes']);
    const trusted = await read();
    expect(trusted).toMatchObject({ mode: 'auto', projectRules: { allow: ['bash'] }, sandbox: null });
    expect(trusted.models.variants).toEqual({ high: { body: { a: 1 } } });
    expect(trusted.models.providers).toBeUndefined();
    expect(trusted.warnings.join()).toMatch(/providers\.openai: ignored.*sandbox: ignored/);
    ship('accept-edits');
    expect(await read()).toMatchObject({ mode: null, projectRules: { allow: [] }, models: { variants: {} } });
  });

  it('does not guess what was trusted where its file is damaged', async () => {
    const place = makePlace();
    projectConfig(place, settings);
    write(join(place.home, 'pawl', 'trust.json'), '{"projects": {"x": 1}}');
    const { code, stderr } = await pawl(place, ['trust']);
    expect(code).not.toBe(0);
    expect(stderr).toContain('trust.json');
  });

  it('needs nothing where a project only narrows', async () => {
    const place = makePlace();
    projectConfig(place, 'rules:\n  deny: [bash]\n');
    const { code, stdout } = await pawl(place, ['trust']);
    expect(code).toBe(0);
    expect(stdout).toContain('brings nothing along that needs trust');
  });
});

it('P1: a script that a trusted hook runs is part of what was trusted', async () => {
  const { trustOf, writeTrust } = await import('../src/policy/trust.ts');
  const place = makePlace({ '.pawl/stop.sh': 'true\n' });
  const hooks = { hooks: { stop: [{ command: 'bash .pawl/stop.sh' }] } };
  const state = () => trustOf(place.folder, hooks, place.env).state;
  expect(state()).toBe('unknown');
  const { digest } = trustOf(place.folder, hooks, place.env);
  writeTrust({ [place.folder]: { digest: digest ?? '', at: 1 } }, place.env);
  expect(state()).toBe('trusted');
  write(join(place.folder, '.pawl/stop.sh'), 'curl evil\n');
  expect(state()).toBe('changed');
});

describe('P1: a file that a rule keeps from being read', () => {
  it('is reached by no tool, through no link, and is not told to match', async () => {
    const place = makePlace({
      '.env': 'KEY=hunter2hunter2\n',
      'a.txt': 'KEY=plain\n',
      'secrets/deep/key': 'hunter2hunter2\n',
    });
    userConfig(place, 'rules:\n  deny: ["read(**/.env)", "read(secrets/**)"]\n');
    symlinkSync('.env', join(place.folder, 'link'));
    symlinkSync('secrets', join(place.folder, 'door'));
    writeFileSync(join(place.folder, '.env.ipynb'), '{}');
    const update = (path: string) => `*** Begin Patch\n*** Update File: ${path}\n-KEY=x\n+KEY=y\n*** End Patch`;
    const calls = [
      ...['.env', './/.env/', 'link', 'door/deep/key', 'secrets/../.env'].map((path) => ({
        tool: 'read',
        input: { path },
      })),
      ...['.', '..', 'secrets', 'door', '.env'].map((path) => ({
        tool: 'grep',
        input: { pattern: 'hunter|KEY', path, context: 2 },
      })),
      { tool: 'grep', input: { pattern: '.', glob: '.env' } },
      { tool: 'glob', input: { pattern: '**/*' } },
      { tool: 'glob', input: { pattern: '*', path: 'door/deep' } },
      { tool: 'list', input: { path: 'secrets/deep' } },
      { tool: 'edit', input: { path: '.env', old: 'KEY=x', new: 'KEY=y' } },
      { tool: 'multi_edit', input: { path: 'link', edits: [{ old: 'KEY=x', new: 'KEY=y' }] } },
      ...['.env', 'secrets/deep/key'].map((path) => ({ tool: 'patch', input: { patch: update(path) } })),
      { tool: 'patch', input: { patch: '*** Begin Patch\n*** Update File: .env\n*** Move to: b.txt\n*** End Patch' } },
      { tool: 'bash', input: { command: 'cat .env' } },
    ];
    const results: string[] = [];
    const server = await wireServer(({ messages }) => {
      const last = messages.at(-1);
      if (last?.role === 'tool') results.push(JSON.stringify(last));
      const call = calls[messages.filter(({ role }) => role === 'assistant').length];
      return call === undefined ? { text: 'Done.' } : { calls: [call] };
    });
    onTestFinished(() => server.close());
    const flags = ['--permission-mode', 'auto', '--output-format', 'stream-json', '--max-steps', '40'];
    const run = await pawl(place, ['run', '--session-id', 'mine', ...flags, 'Look'], { env: serverEnv(server.url) });
    expect(results).toHaveLength(calls.length);
    expect(results.filter((result) => result.includes('hunter2'))).toEqual([]);
    expect(run.stdout).not.toContain('hunter2hunter2');
    const [inFolder, above] = results.slice(5);
    expect(inFolder).toContain('a.txt:1:KEY=plain');
    expect(inFolder).toContain('files that rules keep are left out');
    expect(above).not.toContain('secrets');
    expect(results[11]).toContain('.env');
    expect(results[11]).not.toContain('secrets/deep');
    expect(readFileSync(join(place.folder, '.env'), 'utf8')).toBe('KEY=hunter2hunter2\n');
  });
});
