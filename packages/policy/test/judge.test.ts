import type { PermissionMode, RuleSet, ToolEffect } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeByRules, parseRule, prepareCommand, type Question, type Subject, suggestRules } from '../src/index.ts';

await prepareCommand('more than; plain words');

const base = { cwd: '/repo', home: '/home/ann' };
const modes: PermissionMode[] = ['manual', 'accept-edits', 'plan', 'auto'];

const layer = (rules: Partial<RuleSet>, name = 'user') => ({ name, rules: { deny: [], ask: [], allow: [], ...rules } });
const bash = (command: string, question: Partial<Question> = {}): Question => ({
  ...base,
  layers: [],
  tool: 'bash',
  subjects: [{ kind: 'command', value: command }],
  mode: 'manual',
  effect: 'external',
  toolAsks: true,
  ...question,
});
const edit = (path: string, question: Partial<Question> = {}): Question => ({
  ...base,
  layers: [],
  tool: 'edit',
  subjects: [{ kind: 'path', value: path }],
  mode: 'manual',
  effect: 'write',
  toolAsks: true,
  ...question,
});
const verdictOf = (question: Question) => judgeByRules(question).verdict;

describe('P1: rules and layers', () => {
  it('a deny of any layer wins over every ask and allow, whatever the order and the mode', () => {
    const rules = fc.record({
      deny: fc.constant([] as string[]),
      ask: fc.subarray(['bash', 'bash(npm test)', '*']),
      allow: fc.subarray(['bash', 'bash(npm *)', '*', 'bash(npm test)']),
    });
    fc.assert(
      fc.property(
        fc.array(rules, { maxLength: 4 }),
        fc.nat(4),
        fc.constantFrom('bash', '*', 'bash(npm *)', 'bash(npm test)', 'Bash(npm test)', 'ba*'),
        fc.constantFrom(...modes),
        fc.boolean(),
        (sets, place, deny, mode, toolAsks) => {
          const layers = sets.map((set, index) => layer(set, `layer${index}`));
          layers.splice(place, 0, layer({ deny: [deny] }, 'managed'));
          expect(judgeByRules(bash('npm test', { layers, mode, toolAsks }))).toMatchObject({
            verdict: 'deny',
            rule: `deny ${parseRule(deny).text}`,
          });
        },
      ),
    );
  });

  it('an ask of any layer wins over every allow and is asked in every mode', () => {
    for (const mode of modes) {
      const layers = [layer({ allow: ['*'] }), layer({ ask: ['read(src/**)'] }, 'project')];
      const question = edit('/repo/src/a', { layers, mode, tool: 'read', effect: 'read', toolAsks: false });
      expect(judgeByRules(question)).toMatchObject({ verdict: 'ask', rule: 'ask read(src/**)' });
    }
  });

  it('a deny and an ask of a path hold for every spelling that a disk may take for it, an allow only for its own', () => {
    const spelled = '/repo/r\u00e9sum\u00e9/.ENV';
    for (const verdict of ['deny', 'ask'] as const) {
      const layers = [layer({ [verdict]: ['read(re\u0301sume\u0301/.env)'] })];
      expect(verdictOf(edit(spelled, { layers, tool: 'read', effect: 'read', toolAsks: false }))).toBe(verdict);
      expect(verdictOf(bash(`cat '${spelled}'`, { layers, toolAsks: false }))).toBe(verdict);
    }
    const layers = [layer({ allow: ['edit(SRC/**)'] })];
    expect(verdictOf(edit('/repo/src/a', { layers }))).toBe('ask');
    expect(verdictOf(edit('/repo/SRC/a', { layers }))).toBe('allow');
  });

  it('an allow needs no question, and says which rule it was', () => {
    const layers = [layer({ allow: ['bash(npm test)'] })];
    expect(judgeByRules(bash('npm test', { layers }))).toMatchObject({
      verdict: 'allow',
      rule: 'allow bash(npm test)',
    });
    expect(verdictOf(bash('npm test; rm x', { layers }))).toBe('ask');
  });

  it('an allow must cover every subject, a deny only one', () => {
    const subjects: Subject[] = [
      { kind: 'path', value: '/repo/src/a' },
      { kind: 'path', value: '/repo/docs/a' },
    ];
    expect(verdictOf(edit('', { subjects, layers: [layer({ allow: ['edit(src/**)'] })] }))).toBe('ask');
    expect(verdictOf(edit('', { subjects, layers: [layer({ allow: ['edit(src/**)', 'edit(docs/**)'] })] }))).toBe(
      'allow',
    );
    expect(verdictOf(edit('', { subjects, layers: [layer({ allow: ['edit(**)'] })] }))).toBe('allow');
    expect(verdictOf(edit('', { subjects, layers: [layer({ allow: ['edit'], deny: ['edit(docs/*)'] })] }))).toBe(
      'deny',
    );
  });

  it('without a subject only rules without a pattern apply', () => {
    expect(verdictOf(edit('', { subjects: [], layers: [layer({ allow: ['edit(**)'] })] }))).toBe('ask');
    expect(verdictOf(edit('', { subjects: [], layers: [layer({ deny: ['edit'] })] }))).toBe('deny');
  });

  it('a text is matched by stars over its whole length', () => {
    const subjects: Subject[] = [{ kind: 'text', value: 'https://a.org/x?y' }];
    const question = { tool: 'fetch', subjects, effect: 'external' as const };
    expect(verdictOf(edit('', { ...question, layers: [layer({ allow: ['fetch(https://a.org/*)'] })] }))).toBe('allow');
    expect(verdictOf(edit('', { ...question, layers: [layer({ allow: ['fetch(a.org)'] })] }))).toBe('ask');
  });

  it('a rule that cannot be read stops the call instead of being passed over', () => {
    expect(() => judgeByRules(bash('ls', { layers: [layer({ deny: ['bash(rm'] })] }))).toThrow(/bash\(rm/);
  });
});

describe('P1: what cannot be read with certainty', () => {
  const denying = [layer({ allow: ['bash'], deny: ['bash(rm *)'] })];

  it.each([
    '$X -rf /',
    'r$()m x',
    '/bin/r? x',
    'echo cm0gLXJm | base64 -d | sh',
    'eval "$Y"',
    'mywrap rm x',
    'cat <<E\n$(x)\nE',
    'git log\r',
    'cat <<E',
    `echo ${'x'.repeat(20_000)}`,
  ])('is asked where a deny has a pattern for commands: %j', (command) => {
    for (const mode of ['manual', 'auto', 'accept-edits'] as const) {
      expect(verdictOf(bash(command, { layers: denying, mode }))).toBe('ask');
    }
    expect(verdictOf(bash(command, { layers: [layer({ allow: ['bash'] })] }))).toBe('allow');
    expect(verdictOf(bash(command, { mode: 'auto' }))).toBe('allow');
  });

  it.each([
    'npm test',
    'npm test && npm run lint',
    'git commit -m "fix: a (b)"',
    'ls src/*.ts | wc -l',
    'make > log.txt 2>&1',
  ])('and what can, is not: %j', (command) => {
    expect(verdictOf(bash(command, { layers: denying }))).toBe('allow');
  });
});

describe('modes', () => {
  it('manual asks what the tool asks', () => {
    expect(judgeByRules(edit('/repo/a'))).toMatchObject({ verdict: 'ask', rule: 'tool edit' });
    expect(verdictOf(edit('/repo/a', { toolAsks: false }))).toBe('allow');
  });

  it('accept-edits needs no question for files of the workspace, and only for those', () => {
    const mode = 'accept-edits';
    expect(judgeByRules(edit('/repo/a', { mode }))).toMatchObject({ verdict: 'allow', rule: 'mode accept-edits' });
    for (const path of [
      '/repo-evil/a',
      '/etc/passwd',
      '/repo/../etc/x',
      '/repo/.git/hooks/pre-commit',
      '/repo/x/.GIT/config',
      '/repo/.v\u017fcode/tasks.json',
      '/repo/.g\u200cit/config',
      '/repo/.mcp.json',
      '/repo/x/.claude/settings.json',
      '/repo/.devcontainer.json',
      '/repo/.codex/config.toml',
      '/repo/.gemini/settings.json',
      '/repo/lefthook.yml',
      '/repo/sub/.envrc',
      // Without it no folder is a repository to git.
      '/repo/r/HEAD',
      '/repo/r/head',
    ]) {
      expect([path, verdictOf(edit(path, { mode }))]).toEqual([path, 'ask']);
    }
    expect(verdictOf(edit('/repo/.eslintrc', { mode }))).toBe('allow');
    expect(verdictOf(bash('npm test', { mode }))).toBe('ask');
    expect(verdictOf(edit('/repo/a', { mode, effect: 'external' }))).toBe('ask');
    expect(verdictOf(edit('/repo/a', { mode, subjects: [] }))).toBe('ask');
  });

  it('accept-edits asks about what is obeyed in a home that the session works in, and not in a folder of it', () => {
    for (const cwd of ['/home/ann', '/home']) {
      const question = (path: string) => verdictOf(edit(path, { mode: 'accept-edits', cwd }));
      expect(
        ['.bashrc', '.ssh/authorized_keys', 'bin/ls', '.config/a/b'].map((path) => question(`/home/ann/${path}`)),
      ).toEqual(['ask', 'ask', 'ask', 'ask']);
      expect(question('/home/ann/notes/.hidden')).toBe('allow');
    }
    const within = { mode: 'accept-edits', cwd: '/home/ann/.config/nvim' } as const;
    expect(verdictOf(edit('/home/ann/.config/nvim/init.lua', within))).toBe('allow');
  });

  it('plan changes nothing, even where a rule allows it', () => {
    const layers = [layer({ allow: ['*'] })];
    for (const effect of ['write', 'external', 'idempotent'] satisfies ToolEffect[]) {
      expect(judgeByRules(edit('/repo/a', { mode: 'plan', layers, effect, toolAsks: false }))).toMatchObject({
        verdict: 'deny',
        rule: 'mode plan',
      });
    }
    expect(verdictOf(edit('/repo/a', { mode: 'plan', effect: 'read', toolAsks: false }))).toBe('allow');
    expect(verdictOf(edit('/etc/a', { mode: 'plan', effect: 'read', toolAsks: true }))).toBe('ask');
  });

  it('auto answers the tool, never a rule', () => {
    expect(judgeByRules(bash('npm test', { mode: 'auto' }))).toMatchObject({ verdict: 'allow', rule: 'mode auto' });
    expect(verdictOf(bash('npm test', { mode: 'auto', layers: [layer({ ask: ['bash(npm test)'] })] }))).toBe('ask');
  });

  it('no mode turns the verdict of a rule into a milder one', () => {
    const severity = { allow: 0, ask: 1, deny: 2 };
    const list = fc.subarray(['edit', 'edit(src/**)', 'edit(src/a)', '*', 'read']);
    fc.assert(
      fc.property(
        fc.record({ deny: list, ask: list, allow: list }),
        fc.constantFrom(...modes),
        fc.boolean(),
        (rules, mode, toolAsks) => {
          const layers = [layer(rules)];
          const asked = judgeByRules(edit('/repo/src/a', { layers, toolAsks }));
          const inMode = judgeByRules(edit('/repo/src/a', { layers, toolAsks, mode }));
          const isByRule = !asked.rule.startsWith('tool');
          if (isByRule) expect(severity[inMode.verdict]).toBeGreaterThanOrEqual(severity[asked.verdict]);
        },
      ),
    );
  });
});

describe('P2: a message that comes as a here-document', () => {
  const commit = (message: string) => `git commit -m "$(cat <<'EOF'\n${message}\nEOF\n)"`;
  const rules = { layers: [layer({ allow: ['bash(git commit *)'] })] };

  it.each(['a', 'feat(cli): a thing (b)', 'a (b (c) d)\n\n- #12, $5 {e}'])('is covered: %j', (message) => {
    expect(verdictOf(bash(commit(message), rules))).toBe('allow');
  });

  // Some versions of bash end the brackets elsewhere.
  it.each([') (', '(a\n)', 'a (b # c)', 'a ($b)', "don't", '"a"', '`a`', 'a\\', 'a)'])('is in doubt: %j', (message) => {
    expect(verdictOf(bash(commit(message), rules))).toBe('ask');
  });
});

describe('P3: suggested rules', () => {
  const suggest = (tool: string, ...subjects: Subject[]) => suggestRules({ ...base, tool, subjects });

  it.each([
    ['npm run test a', ['bash(npm run test a)', 'bash(npm run test *)']],
    ['npm run', ['bash(npm run)']],
    ['git commit -m x', ['bash(git commit -m x)', 'bash(git commit *)']],
    ['git stash pop', ['bash(git stash pop)', 'bash(git stash pop *)']],
    ['make', ['bash(make)']],
    ['rm x', ['bash(rm x)']],
    ['sudo rm x', ['bash(sudo rm x)']],
    ['ls -la', ['uncontained_reading', 'bash(ls -la)']],
    ['cat /etc/passwd', ['bash(cat /etc/passwd)']],
    ['git log | head', ['uncontained_reading', 'bash(git log | head)', 'bash(git log *)']],
    ['git log $X', ['bash(git log $X)']],
    ['curl x | sh', []],
    ['npm test > log.txt', ['bash(npm test > log.txt)']],
    ['docker compose up -d', ['bash(docker compose up -d)', 'bash(docker compose up *)']],
    ['A=1 npm test', ['bash(A=1 npm test)', 'bash(A=1 npm test *)']],
    ['A=$B npm test', ['bash(A=$B npm test)']],
    ['CI=1 npm test', ['bash(CI=1 npm test)', 'bash(npm test *)']],
    ['npx vitest run a.ts', ['bash(npx vitest run a.ts)', 'bash(npx vitest run *)']],
    ['npx tsc --noEmit', ['bash(npx tsc --noEmit)', 'bash(npx tsc *)']],
    ['vitest run a.ts', ['bash(vitest run a.ts)', 'bash(vitest run *)']],
    ['python -m pytest -q', ['bash(python -m pytest -q)', 'bash(python -m pytest *)']],
    ['pytest tests/unit/a.py', ['bash(pytest tests/unit/a.py)', 'bash(pytest tests/unit/* *)']],
    ['pytest ../a.py', ['bash(pytest ../a.py)']],
    ['gh pr view 3', ['bash(gh pr view 3)', 'bash(gh pr view *)']],
    ['aws s3 ls', ['bash(aws s3 ls)', 'bash(aws s3 ls *)']],
    ['yarn workspace web test', ['bash(yarn workspace web test)', 'bash(yarn workspace web test *)']],
    ['bash x.sh', ['bash(bash x.sh)']],
  ])('for the command %j are %j', (command, expected) => {
    expect(suggest('bash', { kind: 'command', value: command })).toEqual(expected);
  });

  it.each([
    'git push origin main',
    'git reset HEAD~1',
    'git clean -fd',
    'kubectl delete pod x',
    'terraform apply',
    'aws s3 rm x',
    'npm install lodash',
    'yarn add lodash',
    'gh api repos/x',
    'npm config set x',
    'docker exec web ls',
    'docker run alpine ls',
    'docker compose exec web ls',
    'docker compose run web ls',
    'kubectl exec web ls',
    'uv run python x.py',
    'poetry run bash x.sh',
    'npx tsx a.ts',
    'npm exec node x.js',
    'python -m http.server',
    './gradlew test publish',
    'mvn test deploy',
    'just build deploy',
    'tar czf a.tgz src',
    'git bisect start',
    'git submodule foreach ls',
    'git difftool main',
    'git maintenance run',
    'perf record ls',
    'strace node a',
    'tmux send-keys x',
    'adb shell ls',
    'ansible all x',
    'nc host x',
    'nix develop',
    'rails runner x',
  ])('for %j is nothing wider, since a star would let too much through', (command) => {
    expect(suggest('bash', { kind: 'command', value: command })).toEqual([`bash(${command})`]);
  });

  it.each([
    ['/repo/src/a.ts', ['edit(src/a.ts)', 'edit(src/**)']],
    ['/repo/a.ts', ['edit(a.ts)', 'edit(*)']],
    ['/repo/src/[x]*.ts', ['edit(src/[x]\\*.ts)', 'edit(src/**)']],
    ['/etc/hosts', ['edit(/etc/hosts)', 'edit(/etc/**)']],
    ['/home/ann/.bashrc', ['edit(/home/ann/.bashrc)']],
    ['/hosts', ['edit(/hosts)']],
    ['/repo/a\nb', []],
  ])('for the file %j are %j', (path, expected) => {
    expect(suggest('edit', { kind: 'path', value: path })).toEqual(expected);
  });

  it('cover the call that they were made from, and never a bare first word', () => {
    const command = fc
      .array(fc.stringMatching(/^[a-z./-]{1,6}$/), { minLength: 1, maxLength: 5 })
      .map((words) => words.join(' '));
    const path = fc.array(fc.string({ minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }).map(
      (parts) =>
        `/${parts
          .map((part) => part.replace(/[/\0]/g, '_'))
          .filter((part) => !/^\.*$/.test(part))
          .join('/')}`,
    );
    const subject: fc.Arbitrary<Subject> = fc.oneof(
      command.map((value) => ({ kind: 'command' as const, value })),
      path.map((value) => ({ kind: 'path' as const, value })),
      path.map((value) => ({ kind: 'path' as const, value: `/repo${value}` })),
      fc.string().map((value) => ({ kind: 'text' as const, value })),
    );
    fc.assert(
      fc.property(subject, (each) => {
        for (const rule of suggest('t', each)) {
          expect(rule).not.toMatch(/^t\(\S+ \*\)$/);
          expect(rule).not.toBe('t(*) '.trim().concat(each.kind === 'path' ? '!' : ''));
          const question = edit('', { tool: 't', subjects: [each], layers: [layer({ allow: [rule] })] });
          expect({ rule, verdict: verdictOf(question) }).toEqual({ rule, verdict: 'allow' });
        }
      }),
      { numRuns: 3000 },
    );
  }, 60_000);
});
