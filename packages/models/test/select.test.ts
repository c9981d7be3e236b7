import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { modelFor, record } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { temporaryFolder, thrownBy } from './support.ts';

describe('the name of a model', () => {
  it.each([
    ['demo', {}, 'demo'],
    ['anthropic/claude-x', { ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-x'],
    ['anthropic/claude-x', { ANTHROPIC_AUTH_TOKEN: 'k' }, 'anthropic/claude-x'],
    ['anthropic/claude-x', { ANTHROPIC_BASE_URL: 'http://localhost:1' }, 'anthropic/claude-x'],
    ['openai-chat/gpt-x', { OPENAI_API_KEY: 'k' }, 'openai-chat/gpt-x'],
    ['openai-chat/meta-llama/x', { OPENAI_BASE_URL: 'http://localhost:1/v1' }, 'openai-chat/meta-llama/x'],
  ])('%s, with %j, is a model', async (name, environment, id) => {
    expect((await modelFor(name, environment)).id).toBe(id);
  });

  it('may be a recording', async () => {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'a.jsonl');
    record(scriptedModel([]), path);
    expect((await modelFor(`replay:${path}`, {})).id).toBe('replay:a.jsonl');
    await folder.remove();
  });

  it.each([
    ['anthropic/x', 'ANTHROPIC_API_KEY'],
    ['openai-chat/x', 'OPENAI_API_KEY'],
  ])('%s without a key names %s', async (name, variable) => {
    expect(await thrownBy(modelFor(name, {}))).toMatchObject({
      code: 'no_key',
      message: expect.stringContaining(variable) as string,
    });
  });

  it.each(['', 'gpt-4', 'anthropic', 'anthropic/', '/x', 'gemini/pro'])(
    '“%s” is unknown, and all that exists is told',
    async (name) => {
      const error = await thrownBy(modelFor(name, { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }));
      expect(error).toMatchObject({ code: 'unknown_model' });
      for (const form of ['demo', 'replay:<file>', 'anthropic/<id>', 'openai-chat/<id>']) {
        expect((error as Error).message).toContain(form);
      }
    },
  );
});
