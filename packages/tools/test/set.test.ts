import { describe, expect, it } from 'vitest';
import { builtinTools, escapeInvisible, isSecretName, stripTerminal } from '../src/index.ts';

describe('the set of built-in tools', () => {
  it('has each tool once, in the order of their names, with a closed schema', () => {
    const tools = builtinTools();
    const names = tools.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)].sort((one, other) => (one < other ? -1 : 1)));
    const files = ['bash', 'delete', 'edit', 'glob', 'grep', 'list', 'multi_edit', 'patch', 'read', 'write'];
    const work = ['ask', 'done', 'escalate', 'list_tools', 'notes', 'notify', 'stage', 'todo'];
    expect(names).toEqual(expect.arrayContaining([...files, ...work]));
    for (const { input } of tools) expect(input).toMatchObject({ type: 'object', additionalProperties: false });
  });

  it('costs a model less than 6000 tokens of its prompt, and no tool more than 600', () => {
    const costs = builtinTools().map(({ name, description, input }) => {
      // Some four characters of JSON make a token.
      return { name, tokens: JSON.stringify({ name, description, input }).length / 4 };
    });
    expect(costs.filter(({ tokens }) => tokens > 600)).toEqual([]);
    expect(costs.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThan(6000);
  });

  it('is told to a model whatever other tools there are, but for what is rarely used, of which it gets the names', () => {
    const rare = builtinTools().filter(({ isEssential }) => isEssential !== true);
    expect(rare.every(({ isEssential }) => isEssential === false)).toBe(true);
    expect(rare.map(({ name }) => name)).toEqual([
      ...['git_commit', 'git_diff', 'git_log', 'git_status', 'history', 'mail_list', 'mail_send', 'multi_edit'],
      ...['notes', 'notify', 'stage', 'task_cancel', 'task_send', 'tasks'],
    ]);
    expect(
      builtinTools()
        .filter(({ findsTools }) => findsTools === true)
        .map(({ name }) => name),
    ).toEqual(['list_tools']);
  });

  it('knows names of secrets', () => {
    for (const name of [
      'X_API_KEY',
      'APIKEY',
      'SECRET_KEY_BASE',
      'AWS_ACCESS_KEY_ID',
      'PGPASSWORD',
      'GH_PAT',
      'SENTRY_DSN',
      'CLIENT_SECRET',
      'CLIENTSECRET',
    ])
      expect(isSecretName(name)).toBe(true);
    for (const name of [
      'PATH',
      'HOME',
      'SSH_AUTH_SOCK',
      'KEYMAP',
      'MONKEY',
      'COMPASS',
      'TOKENIZERS_PARALLELISM',
      'PATTERN',
    ])
      expect(isSecretName(name)).toBe(false);
  });

  it('neutralises what acts instead of showing', () => {
    expect(stripTerminal('plain\ttext\n')).toBe('plain\ttext\n');
    expect(stripTerminal('\u001b[1;2;3mx\u001bPq\u001b\\y\u001b')).toBe('xy');
    expect(escapeInvisible('a\tb\nc\r\u2066')).toBe('a\tb\nc\\u{d}\\u{2066}');
  });
});
