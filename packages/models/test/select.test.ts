import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anthropic as anthropicWire, google, modelFor, openai, openaiChat, recordWire } from '../src/index.ts';
import { listedKeys, usualKeys } from '../src/select/keys.ts';
import { parseModelName, withoutVariant } from '../src/select/names.ts';
import { nearest } from '../src/select/near.ts';
import { knownProviders } from '../src/select/providers.ts';
import { factsOf, parametersOf, resolveProvider } from '../src/select/resolve.ts';
import type { ModelsSettings } from '../src/select/settings.ts';
import { createModels } from '../src/select.ts';
import { wireServer } from '../src/testing/index.ts';
import { isSignedBy } from '../src/wires/transcript.ts';
import { answerOf, assistant, request, temporaryFolder, thrownBy, user } from './support.ts';

describe('the name of a model', () => {
  it.each([
    ['demo', {}, 'demo'],
    ['anthropic/claude-x', { ANTHROPIC_API_KEY: 'k' }, 'anthropic/claude-x'],
    ['anthropic/claude-x', { ANTHROPIC_AUTH_TOKEN: 'k' }, 'anthropic/claude-x'],
    ['anthropic/claude-x', { ANTHROPIC_BASE_URL: 'http://localhost:1' }, 'anthropic/claude-x'],
    ['openai/gpt-x@high', { OPENAI_API_KEY: 'k' }, 'openai/gpt-x@high'],
    ['openai-chat/gpt-x', { OPENAI_API_KEY: 'k' }, 'openai-chat/gpt-x'],
    ['openai-chat/meta-llama/x', { OPENAI_BASE_URL: 'http://localhost:1/v1' }, 'openai-chat/meta-llama/x'],
    ['google/gemini-x', { GEMINI_API_KEY: 'k' }, 'google/gemini-x'],
    ['openrouter/anthropic/claude-x', { OPENROUTER_API_KEY: 'k' }, 'openrouter/anthropic/claude-x'],
    ['ollama/qwen3:4b', {}, 'ollama/qwen3:4b'],
  ])('%s, with %j, is a model', async (name, environment, id) => {
    expect((await modelFor(name, environment)).id).toBe(id);
  });

  it('may be a recording', async () => {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'a.jsonl');
    recordWire(path, { model: 'demo' });
    expect((await modelFor(`replay:${path}`, {})).id).toBe(`replay:${path}`);
    expect((await modelFor(`replay:${relative('.', path)}`, {})).id).toBe(`replay:${path}`);
    await folder.remove();
  });

  it.each([
    ['anthropic/x', 'ANTHROPIC_API_KEY'],
    ['openai-chat/x', 'OPENAI_API_KEY'],
    ['google/x', 'GEMINI_API_KEY'],
    ['groq/x', 'GROQ_API_KEY'],
  ])('%s without a key names %s', async (name, variable) => {
    const error = await thrownBy(modelFor(name, {}));
    expect(error).toMatchObject({ code: 'no_key', message: expect.stringContaining(variable) as string });
  });

  it.each(['', 'gpt', 'anthropic', 'anthropic/', '/x', 'gemini/pro', 'constructor/x', '__proto__', 'toString'])(
    '“%s” is unknown, and all that exists is told',
    async (name) => {
      const error = await thrownBy(modelFor(name, { ANTHROPIC_API_KEY: 'k', OPENAI_API_KEY: 'k' }));
      expect(error).toMatchObject({ code: 'unknown_model' });
      for (const form of ['demo', 'replay:<file>', '<provider>/<model>', '<pool>']) {
        expect((error as Error).message).toContain(form);
      }
    },
  );

  it.each([
    ['antropic/claude', 'Did you mean "anthropic"?'],
    ['claude-opus-5', 'Did you mean "anthropic/claude-opus-5"?'],
    ['smrt', 'Did you mean "smart"?'],
    ['groq', 'groq is a provider: write groq/<model>.'],
  ])('“%s” is unknown, and what was meant is guessed', async (name, guess) => {
    const models = createModels({ settings: { pools: { smart: ['anthropic/x'] } }, environment: {} });
    expect(((await thrownBy(models.modelFor(name))) as Error).message).toContain(guess);
  });

  it.each([
    ['a/b', { provider: 'a', model: 'b', variant: null }],
    ['a/b@high', { provider: 'a', model: 'b', variant: 'high' }],
    ['a/b/c:free@x.1', { provider: 'a', model: 'b/c:free', variant: 'x.1' }],
    ['a/@cf/meta/llama', { provider: 'a', model: '@cf/meta/llama', variant: null }],
    ['a/claude-opus-4@20250514', { provider: 'a', model: 'claude-opus-4@20250514', variant: null }],
    ['a/claude-opus-4@20250514@low', { provider: 'a', model: 'claude-opus-4@20250514', variant: 'low' }],
    ['a/', null],
    ['/b', null],
    ['a', null],
  ])('%s is taken apart', (name, parts) => {
    expect(parseModelName(name)).toEqual(parts);
    expect(withoutVariant(name)).toBe(parts === null ? name : `${parts.provider}/${parts.model}`);
  });

  it.each([
    ['x/m@high', 'x/m', true],
    ['x/@cf/a', 'x/@cf/b', false],
    ['x/@cf/a@low', 'x/@cf/a', true],
    ['x/m@20250514', 'x/m@20260101', false],
  ])('%s wrote what %s is asked to go on with: %j', (writer, reader, isSame) => {
    const message = assistant([], writer);
    expect(isSignedBy(message, reader, { index: 0, offset: 0, isSigned: true })).toBe(isSame);
  });

  it('is found by a word that is nearly right, and not by any other', () => {
    expect(nearest('antropic', Object.keys(knownProviders))).toBe('anthropic');
    expect(nearest('mistarl', Object.keys(knownProviders))).toBe('mistral');
    expect(nearest('zebra', ['anthropic', 'openai'])).toBeNull();
    expect(nearest('a', ['b'])).toBe('b');
    fc.assert(fc.property(fc.string(), (word) => nearest(word, [word]) === word));
  });
});

describe('a base URL (scenario 54)', () => {
  it.each([
    ['a user', 'http://user:hunter2secret@localhost:1/v1'],
    ['a key', 'http://localhost:1/v1?api-key=hunter2secret'],
    ['a fragment', 'http://localhost:1/v1#hunter2secret'],
    ['no scheme', 'hunter2secret'],
  ])('of the environment with %s is refused by the name of its variable, unseen', async (_what, url) => {
    const error = await thrownBy(modelFor('openai/gpt-x', { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'k' }));
    expect(error).toMatchObject({
      code: 'bad_base_url',
      message: expect.stringContaining('OPENAI_BASE_URL') as string,
    });
    expect((error as Error).message).not.toContain('hunter2');
  });

  it.each(['http://user:hunter2secret@localhost:1', 'http://localhost:1?key=hunter2secret', 'hunter2secret'])(
    '%s is refused by every wire, unseen',
    (baseUrl) => {
      for (const open of [anthropicWire, openai, openaiChat, google]) {
        const opened = () => open({ model: 'm', baseUrl, environment: {} });
        expect(opened).toThrow(expect.objectContaining({ code: 'bad_base_url' }));
        expect(opened).not.toThrow(/hunter2/);
      }
    },
  );
});

describe('keys (M8)', () => {
  const anthropic = knownProviders.anthropic ?? { wire: 'anthropic', baseUrl: '', keys: [] };

  it('are read from the usual variable and those numbered after it, each once', () => {
    const environment = {
      ANTHROPIC_API_KEY: 'a',
      ANTHROPIC_API_KEY_2: ' b\n',
      ANTHROPIC_API_KEY_3: 'a',
      ANTHROPIC_API_KEY_5: 'c',
    };
    expect(usualKeys(anthropic, environment).keys).toEqual([
      { name: 'ANTHROPIC_API_KEY', secret: 'a' },
      { name: 'ANTHROPIC_API_KEY_2', secret: 'b' },
    ]);
    expect(usualKeys(anthropic, { ANTHROPIC_API_KEY: ' ' })).toEqual({ keys: [], missing: ['set ANTHROPIC_API_KEY'] });
  });

  it('come before a token, which is sent as one', async () => {
    const server = await wireServer([{ text: 'ok' }, { text: 'ok' }]);
    const ask = async (environment: Record<string, string>) => {
      const model = await modelFor('anthropic/m', { ...environment, ANTHROPIC_BASE_URL: server.url });
      await answerOf(model, request([user('Hi.')]));
    };
    await ask({ ANTHROPIC_AUTH_TOKEN: 'the-token' });
    await ask({ ANTHROPIC_AUTH_TOKEN: 'the-token', ANTHROPIC_API_KEY: 'the-key' });
    const [token, key] = server.requests.map(({ headers }) => headers);
    expect([token?.authorization, token?.['x-api-key']]).toEqual(['Bearer the-token', undefined]);
    expect([key?.authorization, key?.['x-api-key']]).toEqual([undefined, 'the-key']);
    await server.close();
  });

  it('are read from files, and what is wrong with one is told without what is in it', async () => {
    const folder = await temporaryFolder();
    const write = (name: string, text: string) => {
      writeFileSync(join(folder.path, name), text);
      return { file: join(folder.path, name) };
    };
    const sources = [
      write('good', 'secret\n'),
      write('empty', '\n'),
      write('two', 'one\ntwo'),
      { file: join(folder.path, 'no') },
    ];
    const { keys, missing } = listedKeys([...sources, { env: 'NOPE' }], {});
    expect(keys).toEqual([{ name: sources[0]?.file, secret: 'secret' }]);
    expect(missing).toHaveLength(4);
    expect(missing.join()).not.toMatch(/one|two\b(?!,)/);
    await folder.remove();
  });

  it('that no header can carry are told by the name of their variable or file', async () => {
    const folder = await temporaryFolder();
    const file = join(folder.path, 'key');
    writeFileSync(file, 'sk-ant-\u2026abcd');
    const environment = {
      ANTHROPIC_API_KEY: 'sk-ant-\u2026abcd',
      OPENAI_API_KEY: 'good',
      OPENAI_API_KEY_2: 'b\u00e4d',
    };
    const bad = await thrownBy(modelFor('anthropic/m', environment));
    expect(bad).toMatchObject({ code: 'no_key', message: expect.stringContaining('ANTHROPIC_API_KEY') as string });
    expect((bad as Error).message).toContain('character 8');
    expect((bad as Error).message).not.toContain('abcd');
    // Nor is it left out in silence where no key is needed.
    const elsewhere = { ...environment, ANTHROPIC_BASE_URL: 'http://localhost:1' };
    expect(await thrownBy(modelFor('anthropic/m', elsewhere))).toMatchObject({ code: 'no_key' });
    expect(await thrownBy(modelFor('anthropic/m', { ANTHROPIC_AUTH_TOKEN: 'a b' }))).toMatchObject({ code: 'no_key' });
    const second = usualKeys(knownProviders.openai ?? anthropic, environment);
    expect(second).toMatchObject({
      keys: [{ secret: 'good' }],
      missing: [expect.stringContaining('OPENAI_API_KEY_2')],
    });
    const { keys, missing } = listedKeys([{ file }, { env: 'ANTHROPIC_API_KEY' }], environment);
    expect(keys).toEqual([]);
    expect(missing).toEqual([expect.stringContaining(file), expect.stringContaining('ANTHROPIC_API_KEY')]);
    await folder.remove();
  });

  it('of one provider never go to another that speaks the same wire', async () => {
    const server = await wireServer([{ text: 'ok' }, { text: 'ok' }]);
    const settings: ModelsSettings = {
      providers: {
        mine: { wire: 'anthropic', baseUrl: server.url },
        theirs: { wire: 'openai-chat', baseUrl: `${server.url}/v1`, headers: { 'x-team': 'blue' } },
      },
    };
    const environment = {
      ANTHROPIC_API_KEY: 'not-yours',
      ANTHROPIC_AUTH_TOKEN: 'nor-this',
      OPENAI_API_KEY: 'not-yours',
    };
    const models = createModels({ settings, environment });
    for (const name of ['mine/m', 'theirs/m']) await answerOf(await models.modelFor(name), request([user('Hi.')]));
    expect(JSON.stringify(server.requests.map(({ headers }) => headers))).not.toMatch(/not-yours|nor-this/);
    expect(server.requests[1]?.headers['x-team']).toBe('blue');
    await server.close();
  });
});

describe('a pool (M7)', () => {
  it('asks the first of its models, and goes without those that have no key, saying so', async () => {
    const server = await wireServer([{ text: 'from the second' }]);
    const notices: string[] = [];
    const settings: ModelsSettings = {
      providers: { local: { wire: 'openai-chat', baseUrl: `${server.url}/v1` } },
      pools: { smart: ['groq/llama', 'local/qwen'] },
    };
    const models = createModels({ settings, environment: {}, notice: (line) => notices.push(line) });
    const model = await models.modelFor('smart');
    expect(model.id).toBe('smart');
    const message = await answerOf(model, request([user('Hi.')]));
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'from the second' }], model: 'local/qwen' });
    expect(server.requests[0]?.model).toBe('qwen');
    expect(notices).toEqual([expect.stringMatching(/pool smart .* groq\/llama.*GROQ_API_KEY/)]);
    expect(await models.modelFor('smart')).toBe(model);
    await server.close();
  });

  it('of which no model has a key says what to set', async () => {
    const models = createModels({ settings: { pools: { p: ['groq/a', 'mistral/b'] } }, environment: {} });
    expect(await thrownBy(models.modelFor('p'))).toMatchObject({ code: 'no_key' });
  });

  it('with a mistake in it is refused whole, and may be asked for again', async () => {
    const models = createModels({ settings: { pools: { p: ['ollama/a', 'nobody/b'] } }, environment: {} });
    expect(await thrownBy(models.modelFor('p'))).toMatchObject({ code: 'unknown_model' });
    expect(await thrownBy(models.modelFor('p'))).toMatchObject({ code: 'unknown_model' });
  });
});

describe('variants (M10)', () => {
  const settings: ModelsSettings = {
    variants: { deep: { effort: 'high', temperature: 1 }, high: { effort: 'max' } },
    models: { 'anthropic/m': { variants: { deep: { temperature: 0 } } } },
  };

  it('are efforts, those of the user, and a model’s own on top', () => {
    expect(parametersOf('anthropic/m', null, settings)).toEqual({});
    expect(parametersOf('anthropic/m', 'low', settings)).toEqual({ effort: 'low' });
    expect(parametersOf('openai/x', 'deep', settings)).toEqual({ effort: 'high', temperature: 1 });
    expect(parametersOf('anthropic/m', 'deep', settings)).toEqual({ effort: 'high', temperature: 0 });
    expect(parametersOf('openai/x', 'high', settings)).toEqual({ effort: 'max' });
  });

  it('that there are not are refused, with a guess', async () => {
    const models = createModels({ settings, environment: { ANTHROPIC_API_KEY: 'k' } });
    const error = await thrownBy(models.modelFor('anthropic/m@dep'));
    expect(error).toMatchObject({ code: 'unknown_variant', message: expect.stringContaining('"deep"') as string });
    expect(() => parametersOf('a/b', 'constructor', settings)).toThrow(/no variant/);
  });

  it('go with the request', async () => {
    const server = await wireServer([{ text: 'ok' }]);
    const models = createModels({ settings, environment: { OPENAI_BASE_URL: `${server.url}/v1` } });
    const model = await models.modelFor('openai-chat/m@deep');
    await answerOf(model, request([user('Hi.')]));
    expect(server.requests[0]).toMatchObject({ model: 'm', body: { temperature: 1, reasoning_effort: 'high' } });
    await server.close();
  });
});

describe('what is known of a model', () => {
  const facts = (name: string, model: string, settings: ModelsSettings = {}) => {
    const provider = resolveProvider(name, settings, {});
    if (provider === null) throw new Error(`There is no ${name}.`);
    return factsOf(provider, model, settings);
  };

  it('is the catalogue’s, and the user’s where they know better', () => {
    const models = { 'anthropic/claude-opus-5': { contextTokens: 5000, prices: { input: 1, output: 2 } } };
    expect(facts('anthropic', 'claude-opus-5', { models })).toMatchObject({
      context: 5000,
      output: 128_000,
      prices: [{ input: 1, output: 2 }],
    });
    expect(facts('groq', 'llama-3.3-70b-versatile').context).toBe(131_072);
  });

  it('is the maker’s behind a gateway, and nothing for a server on this machine', () => {
    const providers = { corp: { wire: 'anthropic', baseUrl: 'https://llm.corp.example' } } as const;
    expect(facts('corp', 'claude-opus-5', { providers }).context).toBe(1_000_000);
    expect(facts('ollama', 'gpt-5')).toEqual({});
  });

  it('of a provider of one’s own needs an address and a wire', () => {
    expect(() => resolveProvider('corp', { providers: { corp: { wire: 'openai' } } }, {})).toThrow(/baseUrl/);
    expect(() => resolveProvider('corp', { providers: { corp: { baseUrl: 'http://x' } } }, {})).toThrow(/wire/);
    expect(resolveProvider('nobody', {}, {})).toBeNull();
  });
});
