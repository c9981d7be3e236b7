import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { wireServer } from '@pawl/models/testing';
import type { PendingApproval } from '@pawl/protocol';
import { questionLines } from '@pawl/terminal/text/approval';
import { describeBlanks } from '@pawl/terminal/text/blanks';
import { createStyle } from '@pawl/terminal/text/style';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { keepRule } from '../src/approvals/keep-rule.ts';
import { makePlace, type Place, pawl, serverEnv, startInTerminal } from './pawl.ts';

const told = (line: string) => describeBlanks(line, (text) => text);
const plain = createStyle(false);
const approval = (more: Partial<PendingApproval>): PendingApproval => ({
  call: 't1_s1_c1',
  tool: 'bash',
  input: {},
  rule: 'tool bash',
  suggestions: [],
  expiresAt: null,
  ...more,
});

describe('P3: what a person is shown', () => {
  it('tells blanks that would hide what comes after them, and those at the end of a line', () => {
    expect(told(`rm a${' '.repeat(200)}; rm b`)).toBe('rm a<200 spaces>; rm b');
    expect(told(`rm a ${'\t'.repeat(20)}; rm b`)).toBe('rm a<1 space, 20 tabs>; rm b');
    expect(told('rm a ')).toBe('rm a<1 space>');
    expect(told('\t\tif (a) {   // b')).toBe('\t\tif (a) {   // b');
    expect(told(`${' '.repeat(24)}deep`)).toBe(`${' '.repeat(24)}deep`);
    expect(told(`${' '.repeat(100)}hidden`)).toBe('<100 spaces>hidden');
  });

  it('never shows two different lines alike, however they are made of blanks and words', () => {
    const piece = fc.constantFrom(' ', '  ', '\t', ' '.repeat(17), ' '.repeat(41), 'rm', 'a', ';');
    const line = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(line, line, (one, other) => {
        fc.pre(one !== other && one.trim() !== '');
        expect(told(one)).not.toBe(told(other));
        expect(
          told(one)
            .replace(/<[^>]*>/g, '')
            .trimEnd(),
        ).toBe(told(one).replace(/<[^>]*>/g, ''));
      }),
      { numRuns: 2000 },
    );
  });

  it('shows arguments, previews and diffs with what is unseen in them', () => {
    const command = `echo${' '.repeat(80)}\u200b; rm x `;
    const lines = questionLines(approval({ input: { command } }), plain).join('\n');
    expect(lines).toContain('command: echo<80 spaces>\\u200b; rm x<1 space>');
    const diff = `--- a\n+++ a\n@@ -1 +1 @@\n-x\n+x${' '.repeat(90)}y\n+    four \n`;
    const shown = questionLines(approval({ tool: 'edit', preview: { kind: 'diff', text: diff } }), plain).join('\n');
    expect(shown).toContain('+x<90 spaces>y');
    expect(shown).toContain('+    four<1 space>');
    const preview = { kind: 'text' as const, text: `Delete a\n- b${' '.repeat(50)}c` };
    expect(questionLines(approval({ preview }), plain).join('\n')).toContain('- b<50 spaces>c');
  });

  it('lists of a call that touches several things which need the answer and which are allowed, and for whom it is', () => {
    const parts = [
      { text: '/w/a\nb', verdict: 'ask' as const, rule: 'tool patch' },
      { text: '/w/docs/c', verdict: 'allow' as const, rule: 'allow patch(docs/**)' },
    ];
    const lines = questionLines(approval({ parts, approvers: { group: 'ops', members: ['ann'] } }), plain);
    expect(lines[0]).toContain('for ops');
    expect(lines.slice(1, 3)).toEqual(['  asks /w/a⏎b  (tool patch)', '  allowed /w/docs/c  (allow patch(docs/**))']);
  });
});

describe('P3: a rule that is kept', () => {
  const before = { ...process.env };
  let place: Place;
  let user: string;
  let project: string;
  beforeEach(() => {
    place = makePlace();
    process.env.PAWL_CONFIG = '';
    process.env.XDG_CONFIG_HOME = join(place.home, 'config');
    process.env.PAWL_HOME = place.env.PAWL_HOME;
    user = join(place.home, 'config', 'pawl', 'config.yaml');
    project = join(place.folder, '.pawl', 'config.yaml');
  });
  afterEach(() => {
    for (const name of ['PAWL_CONFIG', 'XDG_CONFIG_HOME', 'PAWL_HOME']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });
  const write = (path: string, text: string) => {
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, text);
  };

  it('makes the settings where there are none, readable by the user alone', async () => {
    await keepRule('user', 'bash(npm test)', place.folder);
    expect(parse(readFileSync(user, 'utf8'))).toEqual({ rules: { allow: ['bash(npm test)'] } });
    expect(statSync(user).mode & 0o777).toBe(0o600);
  });

  it('keeps comments, order, quotes and all other settings, and adds nothing twice', async () => {
    const text = [
      '# mine',
      'model: demo # for now',
      '',
      'rules:',
      '  # never',
      "  deny: ['bash(git push *)']",
      '  allow:',
      '    - read # always',
      'limits:',
      '  steps: 40',
      '',
    ].join('\n');
    write(user, text);
    chmodSync(user, 0o640);
    await keepRule('user', 'bash(make *)', place.folder);
    await keepRule('user', 'bash(make *)', place.folder);
    const lines = text.split('\n');
    lines.splice(8, 0, '    - bash(make *)');
    expect(readFileSync(user, 'utf8').replaceAll("[ 'bash(git push *)' ]", "['bash(git push *)']")).toBe(
      lines.join('\n'),
    );
    expect(statSync(user).mode & 0o777).toBe(0o640);
  });

  it('leaves a link to the settings a link', async () => {
    const real = join(place.home, 'dotfiles.yaml');
    writeFileSync(real, 'model: demo\n');
    mkdirSync(join(user, '..'), { recursive: true });
    symlinkSync(real, user);
    await keepRule('user', 'read', place.folder);
    expect(lstatSync(user).isSymbolicLink()).toBe(true);
    expect(parse(readFileSync(real, 'utf8'))).toEqual({ model: 'demo', rules: { allow: ['read'] } });
  });

  it('is refused, with not a byte changed, where the settings are not such that it can be added', async () => {
    for (const text of [
      'rules: [',
      '- a\n',
      'rules: all\n',
      'rules:\n  allow: read\n',
      'x: &a {allow: []}\nrules: *a\n',
    ]) {
      write(user, text);
      await expect(keepRule('user', 'read', place.folder)).rejects.toMatchObject({ code: 'rule_not_kept' });
      expect(readFileSync(user, 'utf8')).toBe(text);
    }
  });

  it('whatever rules and settings there are, holds afterwards with all that was there', async () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => one.trim() === one);
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { maxLength: 4 }),
        fc.array(text, { maxLength: 2 }),
        text,
        async (allow, deny, rule) => {
          write(user, JSON.stringify({ rules: { deny, allow }, model: 'demo' }));
          await keepRule('user', rule, place.folder);
          const expected = allow.includes(rule) ? allow : [...allow, rule];
          expect(parse(readFileSync(user, 'utf8'))).toEqual({ rules: { deny, allow: expected }, model: 'demo' });
        },
      ),
      { numRuns: 50 },
    );
  });

  it('goes into the settings of the project, which are trusted with it', async () => {
    await keepRule('project', 'bash(npm test)', place.folder);
    expect(parse(readFileSync(project, 'utf8'))).toEqual({ rules: { allow: ['bash(npm test)'] } });
    await keepRule('project', 'bash(npm run lint)', place.folder);
    const trusted = JSON.parse(readFileSync(join(place.home, 'pawl', 'trust.json'), 'utf8'));
    expect(Object.keys(trusted.projects)).toEqual([place.folder]);
  });

  it('does not go into settings of a project that bring along what nobody has trusted', async () => {
    const text = 'rules:\n  allow: [bash]\n';
    write(project, text);
    await expect(keepRule('project', 'read', place.folder)).rejects.toThrow('pawl trust');
    expect(readFileSync(project, 'utf8')).toBe(text);
    expect(existsSync(join(place.home, 'pawl', 'trust.json'))).toBe(false);
  });

  it('does not follow a link that a project ships in place of its settings', async () => {
    const outside = join(place.home, 'victim');
    mkdirSync(outside);
    symlinkSync(outside, join(place.folder, '.pawl'));
    await expect(keepRule('project', 'read', place.folder)).rejects.toThrow('leads out of the project');
    writeFileSync(join(outside, 'config.yaml'), 'model: demo\n');
    await expect(keepRule('project', 'read', place.folder)).rejects.toThrow('leads out of the project');
    expect(readFileSync(join(outside, 'config.yaml'), 'utf8')).toBe('model: demo\n');
  });
});

/** A server whose model asks for this command in every session, once. */
async function commander(command: string) {
  const server = await wireServer((request) =>
    request.number % 2 === 0 ? { text: 'Understood.' } : { calls: [{ tool: 'bash', input: { command } }] },
  );
  onTestFinished(() => server.close());
  return server;
}

describe('P3: an approval in a terminal', () => {
  it('holds for the rest of the run that it was given in', async () => {
    const server = await wireServer(({ number }) =>
      number < 2 ? { calls: [{ tool: 'bash', input: { command: `git init made${number}` } }] } : { text: 'Done.' },
    );
    onTestFinished(() => server.close());
    const place = makePlace();
    const terminal = startInTerminal(place, ['run', 'go'], serverEnv(server.url));
    await terminal.shown('Allow?');
    terminal.write('p');
    await terminal.shown('back');
    // The wider one of the two.
    terminal.write('2');
    expect(await terminal.ended).toBe(0);
    expect(existsSync(join(place.folder, 'made1'))).toBe(true);
  });

  it.each([
    ['p', 'Always in this project', 'Allow?'],
    ['u', 'Always and everywhere', 'completed'],
  ])('adds a rule with %s: %s; in another folder comes: %s', async (key, title, elsewhere) => {
    const place = makePlace();
    const server = await commander('mkdir -p made');
    const env = serverEnv(server.url);
    const terminal = startInTerminal(place, ['run', '--session-id', 's-1', 'go'], env);
    await terminal.shown('Allow?');
    terminal.write(key);
    await terminal.shown(title);
    await terminal.shown('1 bash(mkdir -p made)');
    await terminal.shown('back');
    terminal.write('1');
    expect(await terminal.ended).toBe(0);
    // It stands there and nowhere else: who removes it has removed it.
    const listed = JSON.parse((await pawl(place, ['policy', 'list', '-s', 's-1', '--json'])).stdout);
    expect(listed.rules).toMatchObject([{ layer: key === 'p' ? 'project' : 'user', rule: 'bash(mkdir -p made)' }]);
    // It holds in the next session of this folder, with nobody there.
    expect(await pawl(place, ['run', 'again'], { env })).toMatchObject({ code: 0 });
    // And in another folder, or not.
    const there = join(place.home, 'elsewhere');
    mkdirSync(there);
    const second = startInTerminal({ ...place, folder: there }, ['run', 'go'], env);
    await second.shown(elsewhere);
    if (elsewhere === 'Allow?') second.kill();
    await second.ended;
    const { stdout } = await pawl(place, ['policy', 'list']);
    expect(stdout).toContain('bash(mkdir -p made)');
  });

  it('asks again, and allows nothing, when the rule could not be kept', async () => {
    const place = makePlace({ '.pawl/config.yaml': 'rules:\n  allow: ["bash(rm *)"]\n' });
    const server = await commander('touch a');
    const terminal = startInTerminal(place, ['run', 'go'], serverEnv(server.url));
    await terminal.shown('Allow?');
    terminal.write('p');
    await terminal.shown('back');
    terminal.write('1');
    await terminal.shown('The rule was not added, and nothing was allowed');
    await terminal.shown('Allow?');
    expect(existsSync(join(place.folder, 'a'))).toBe(false);
    terminal.write('y');
    expect(await terminal.ended).toBe(0);
    expect(existsSync(join(place.folder, 'a'))).toBe(true);
  });

  it('shows the list of a tree anew after the arguments were edited, before anything is deleted', async () => {
    const place = makePlace({ 'old/one.txt': '1', 'src/two.txt': '2' });
    const server = await wireServer((request) =>
      request.number === 1
        ? { calls: [{ tool: 'delete', input: { path: 'old', recursive: true } }] }
        : { text: 'Understood.' },
    );
    onTestFinished(() => server.close());
    const terminal = startInTerminal(place, ['run', 'go'], serverEnv(server.url));
    await terminal.shown('one.txt');
    await terminal.shown('Allow?');
    terminal.write('e');
    await terminal.shown('Arguments:');
    terminal.write(`${'\u0008'.repeat(80)}{"path":"src","recursive":true}\r`);
    await terminal.shown('two.txt');
    await terminal.shown('Allow?');
    expect(existsSync(join(place.folder, 'src/two.txt'))).toBe(true);
    terminal.write('n');
    await terminal.shown('Why not?');
    terminal.write('\r');
    expect(await terminal.ended).toBe(0);
    expect(existsSync(join(place.folder, 'src/two.txt'))).toBe(true);
    const { stdout } = await pawl(place, ['sessions', 'export', 'latest', '--format', 'json']);
    expect(stdout).toContain('path: \\"old\\" → \\"src\\"');
  });

  it('for a group that this person is not in is said to wait for others, and Ctrl-C still works', async () => {
    const place = makePlace();
    const config = join(place.home, 'config.yaml');
    writeFileSync(
      config,
      'approvers:\n  groups: { ops: [ann, bob] }\n  routes: [{ rule: "bash(touch *)", group: ops }]\n',
    );
    const server = await commander('touch a');
    const terminal = startInTerminal(place, ['run', 'go'], { ...serverEnv(server.url), PAWL_CONFIG: config });
    await terminal.shown('bash waits for the approval of ops (ann, bob)');
    terminal.write('\u0003');
    expect(await terminal.ended).toBe(130);
    expect(stripVTControlCharacters(terminal.output())).not.toContain('Allow?');
    expect(existsSync(join(place.folder, 'a'))).toBe(false);
  });
});

describe('P5: groups in the settings', () => {
  it('are checked with a line that names the place', async () => {
    const place = makePlace();
    const config = join(place.home, 'config.yaml');
    const mistakes: [string, string][] = [
      [
        'groups: { ops: [ann] }\n  routes: [{ rule: bash, group: opps }]',
        'approvers.routes.0.group: there is no group "opps"',
      ],
      ['groups: { ops: [] }\n  routes: []', 'approvers.groups.ops'],
      ['groups: { ops: [ann] }\n  routes: [{ rule: "bash(", group: ops }]', 'approvers.routes.0.rule'],
      ['groups: { ops: [ann] }', 'approvers.routes: is missing'],
    ];
    for (const [text, said] of mistakes) {
      writeFileSync(config, `approvers:\n  ${text}\n`);
      const { code, stderr } = await pawl(place, ['run', '-m', 'demo', 'go'], { env: { PAWL_CONFIG: config } });
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    }
  });
});
