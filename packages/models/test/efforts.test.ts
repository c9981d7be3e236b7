import type { ModelEvent } from '@pawl/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { catalogue } from '../src/catalogue/table.ts';
import { anthropic, google, openai, openaiChat } from '../src/index.ts';
import type { WireName } from '../src/select/providers.ts';
import { createModels } from '../src/select.ts';
import { type WireServer, wireServer } from '../src/testing/index.ts';
import { fitEffort, nearestEffort } from '../src/wires/effort.ts';
import { call, request, user } from './support.ts';

let server: WireServer | undefined;
afterEach(() => server?.close());

const words = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

const openers = { anthropic, openai, 'openai-chat': openaiChat, google };

/** The word for how much to think that a server of the wire is sent, and what is said of it. */
async function sent(wire: WireName, home: string, model: string, parameters: object) {
  const place = catalogue().providers.find(({ id }) => id === home);
  const facts = place?.models.find(({ id }) => id === model) ?? {};
  server = await wireServer([{ text: 'ok' }]);
  const baseUrl = wire === 'openai' || wire === 'openai-chat' ? `${server.url}/v1` : server.url;
  const options = { model, id: `${home}/${model}`, apiKey: 'k', baseUrl, facts, parameters, environment: {} };
  const events = await call(openers[wire](options), request([user('?')], { maxOutputTokens: 30_000 }));
  const body = server.requests[0]?.body ?? {};
  await server.close();
  return { effort: wordIn(body), notices: noticesIn(events) };
}

function wordIn(body: { [key: string]: unknown }): unknown {
  const at = (...path: string[]) =>
    path.reduce<unknown>((value, key) => (value as { [key: string]: unknown } | undefined)?.[key], body);
  return (
    at('reasoning', 'effort') ??
    at('reasoning_effort') ??
    at('output_config', 'effort') ??
    at('generationConfig', 'thinkingConfig', 'thinkingLevel')
  );
}

function noticesIn(events: readonly ModelEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
}

describe('M14: effort words', () => {
  it.each([
    ['openai', 'openai', 'gpt-5', 'none', 'minimal'],
    ['openai', 'openai', 'gpt-5.4', 'minimal', 'low'],
    ['openai', 'openai', 'gpt-5.5', 'max', 'xhigh'],
    ['openai', 'openai', 'gpt-5-pro', 'low', 'high'],
    ['openai', 'openai', 'gpt-6.1-sol', 'none', 'low'],
    ['openai', 'openai', 'o3', 'xhigh', 'high'],
    ['openai-chat', 'xai', 'grok-4.5', 'none', 'low'],
    ['openai-chat', 'xai', 'grok-4.5', 'xhigh', 'high'],
    ['openai-chat', 'mistral', 'mistral-medium-3.5', 'medium', 'high'],
    ['openai-chat', 'groq', 'qwen/qwen3.6-27b', 'high', 'default'],
    ['anthropic', 'anthropic', 'claude-opus-4-6', 'xhigh', 'high'],
    ['anthropic', 'anthropic', 'claude-sonnet-4-6', 'xhigh', 'high'],
    ['anthropic', 'anthropic', 'claude-opus-4-5', 'max', 'high'],
    ['google', 'google', 'gemini-3.8-flash', 'max', 'high'],
    ['google', 'google', 'gemini-4-argon', 'minimal', 'low'],
  ] as const)(
    'over %s, %s/%s@%s is refused by the published list: %s is sent, and that is said',
    async (wire, home, model, asked, word) => {
      const { effort, notices } = await sent(wire, home, model, { effort: asked });
      expect(effort).toBe(word);
      expect(notices).toHaveLength(1);
      expect(notices[0]).toContain(`${home}/${model} takes the efforts `);
      expect(notices[0]).toContain(`"${asked}" is sent as "${word}"`);
    },
  );

  it.each([
    ['openai', 'openai', 'gpt-5', 'minimal'],
    ['openai', 'openai', 'gpt-6.1-sol', 'low'],
    ['openai-chat', 'xai', 'grok-4.7', 'low'],
    ['google', 'google', 'gemini-3.6-flash', 'minimal'],
  ] as const)(
    'over %s, a budget of 0 for %s/%s, which has no word for none, asks for %s',
    async (wire, home, model, word) => {
      const { effort, notices } = await sent(wire, home, model, { thinkingBudgetTokens: 0 });
      expect(effort).toBe(word);
      expect(notices).toHaveLength(1);
    },
  );

  it('are sent as they are, and nothing is said, where they are among those that the model takes', async () => {
    expect(await sent('openai', 'openai', 'gpt-5.5', { effort: 'xhigh' })).toEqual({ effort: 'xhigh', notices: [] });
    expect(await sent('anthropic', 'anthropic', 'claude-opus-4-6', { effort: 'max' })).toMatchObject({ notices: [] });
    // Nobody knows this one.
    expect(await sent('openai-chat', 'nobody', 'm', { effort: 'max' })).toEqual({ effort: 'max', notices: [] });
  });

  it('are among those that the catalogue lists, for every built-in variant of every model that lists any', () => {
    let changed = 0;
    for (const { id: home, models } of catalogue().providers) {
      for (const { id, efforts = [], ...facts } of models.filter((model) => model.efforts !== undefined)) {
        expect([home, id, efforts.length > 0]).toEqual([home, id, true]);
        for (const effort of words) {
          const { parameters, change } = fitEffort(`${home}/${id}`, { efforts, ...facts }, { effort });
          expect([home, id, effort, efforts.includes(parameters.effort ?? '')]).toEqual([home, id, effort, true]);
          expect(change === null).toBe(efforts.includes(effort));
          if (change !== null) changed++;
        }
      }
    }
    expect(changed).toBeGreaterThan(33);
  });

  it('stop a model from thinking only where that is what was asked for, and of two as near the lesser is used', () => {
    expect(nearestEffort('minimal', ['none', 'low', 'high'])).toBe('low');
    expect(nearestEffort('none', ['low', 'high'])).toBe('low');
    expect(nearestEffort('medium', ['low', 'high'])).toBe('low');
    expect(nearestEffort('max', ['none'])).toBe('max');
    expect(nearestEffort('ultra', ['low', 'high'])).toBe('ultra');
  });

  it('are not sent to a model that does not think, and that is said', async () => {
    const { effort, notices } = await sent('openai', 'openai', 'gpt-4.1', { effort: 'high' });
    expect(effort).toBeUndefined();
    expect(notices).toEqual(['openai/gpt-4.1 does not think: the effort "high" is not sent.']);
  });

  it('are said once, not at every step', async () => {
    server = await wireServer([{ text: 'one' }, { text: 'two' }]);
    const models = createModels({
      settings: { providers: { openai: { baseUrl: `${server.url}/v1` } } },
      environment: { OPENAI_API_KEY: 'k' },
    });
    const model = await models.modelFor('openai/gpt-5@none');
    const said = [await call(model, request([user('?')])), await call(model, request([user('?')]))].map(noticesIn);
    expect(said.map((lines) => lines.length)).toEqual([1, 0]);
  });

  it('are the user’s own where the settings name them', async () => {
    server = await wireServer([{ text: 'ok' }]);
    const settings = {
      providers: { openai: { baseUrl: `${server.url}/v1` } },
      models: { 'openai/gpt-5': { efforts: ['none', 'ultra'] } },
    };
    const models = createModels({ settings, environment: { OPENAI_API_KEY: 'k' } });
    await call(await models.modelFor('openai/gpt-5@none'), request([user('?')]));
    expect(server.requests[0]?.body.reasoning).toEqual({ effort: 'none' });
  });
});
