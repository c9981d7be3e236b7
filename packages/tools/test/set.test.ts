import { describe, expect, it } from 'vitest';
import { builtinTools, escapeInvisible, isSecretName, stripTerminal } from '../src/index.ts';

describe('the set of built-in tools', () => {
  it('has each tool once, sorted, with a closed schema, and costs a model little', () => {
    const tools = builtinTools();
    expect(tools.map((tool) => tool.name)).toEqual(['bash', 'delete', 'edit', 'glob', 'grep', 'list', 'read', 'write']);
    for (const { input } of tools) expect(input).toMatchObject({ type: 'object', additionalProperties: false });
    const prompt = JSON.stringify(tools.map(({ name, description, input }) => ({ name, description, input })));
    // Some four characters of JSON make a token.
    expect(prompt.length / 4).toBeLessThan(1500);
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
