import type { ModelEvent } from '@pawl/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { createHealth, type HealthStore, openai, openaiChat } from '../src/index.ts';
import { createModels } from '../src/select.ts';
import { type WireServer, wireServer } from '../src/testing/index.ts';
import { answerOf, assistant, call, request, thrownBy, user } from './support.ts';

let server: WireServer | undefined;
afterEach(() => server?.close());

const tools = [{ name: 'read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }];

function noticesIn(events: readonly ModelEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'notice' ? [event.code] : []));
}

/** The addresses of a model whose server passes for OpenAI: a proxy is asked in its place. */
const unverified = {
  status: 400,
  error: {
    message: 'Your organization must be verified to generate reasoning summaries. Please go to: https://platform…',
    type: 'invalid_request_error',
    param: 'reasoning.summary',
    code: 'unsupported_value',
  },
};
const unreadable = {
  status: 400,
  error: { type: 'invalid_request_error', message: 'The encrypted content for item rs_1 could not be verified.' },
};

/** A wire to OpenAI's own address, whose connections all lead to the server. */
function throughServer(): { HTTPS_PROXY?: string; HTTP_PROXY: string } {
  return { HTTP_PROXY: server?.url ?? '' };
}

const home = 'http://eu.api.openai.com/v1';

describe('M3: a summary of the reasoning that an account is not given', () => {
  const summaries = () => server?.requests.map(({ body }) => (body.reasoning as { summary?: string })?.summary);

  it('is asked for once, is done without, and that is said', async () => {
    server = await wireServer([unverified, { text: 'one' }, { text: 'two' }]);
    const model = openai({ model: 'gpt-5', apiKey: 'k', baseUrl: home, environment: throughServer() });
    const first = await call(model, request([user('?')]));
    expect(noticesIn(first)).toEqual(['summary_refused']);
    expect(first.at(-1)).toMatchObject({ type: 'finished', message: { content: [{ text: 'one' }] } });
    expect(noticesIn(await call(model, request([user('?')])))).toEqual([]);
    expect(summaries()).toEqual(['auto', undefined, undefined]);
  });

  it('does not hide another refusal of the same request', async () => {
    server = await wireServer([unverified, unreadable, { text: 'one' }]);
    const model = openai({ model: 'gpt-5', apiKey: 'k', baseUrl: home, environment: throughServer() });
    const events = await call(model, request([user('?'), assistant([{ type: 'text', text: 'So.' }]), user('And?')]));
    expect(noticesIn(events)).toEqual(['summary_refused', 'reasoning_dropped']);
    expect(events.at(-1)).toMatchObject({ type: 'finished' });
  });

  it('is known of all models of the key, and in the next process', async () => {
    server = await wireServer([unverified, { text: 'one' }, { text: 'two' }, { text: 'three' }]);
    let saved: unknown = null;
    const store: HealthStore = {
      load: async () => saved,
      async save(health) {
        saved = JSON.parse(JSON.stringify(health));
      },
    };
    const settings = { providers: { openai: { baseUrl: home } } };
    const environment = { OPENAI_API_KEY: 'secret-key-of-mine', ...throughServer() };
    const health = createHealth({ store });
    const models = createModels({ settings, environment, health });
    await answerOf(await models.modelFor('openai/gpt-5'), request([user('?')]));
    await answerOf(await models.modelFor('openai/gpt-5.5'), request([user('?')]));
    await health.flush();
    expect(JSON.stringify(saved)).not.toContain('secret-key');
    const later = createModels({ settings, environment, health: createHealth({ store }) });
    await answerOf(await later.modelFor('openai/gpt-5-mini'), request([user('?')]));
    expect(summaries()).toEqual(['auto', undefined, undefined, undefined]);
  });

  it('is asked for again after a week: the account may be verified by then', async () => {
    let now = Date.parse('2026-11-22T00:00:00Z');
    const clock = { now: () => now, at: () => () => undefined };
    const health = createHealth({ clock });
    const key = { name: 'k', secret: 's' };
    const provider = { name: 'openai', baseUrl: home, keys: [key] };
    const info = { contextTokens: 1, outputTokens: 1, isPriceKnown: false };
    const place = health.of({ id: 'openai/gpt-5', provider, info, open: () => openai({ model: 'm' }) }, key);
    health.refusals(place).add('reasoning_summary');
    expect(health.refusals(place).has('reasoning_summary')).toBe(true);
    now += 8 * 86_400_000;
    expect(health.refusals(place).has('reasoning_summary')).toBe(false);
  });
});

describe('M1: tools beside reasoning, over Chat Completions', () => {
  const refusal = {
    status: 400,
    error: {
      message: 'Function tools with reasoning_effort are not supported for gpt-5.5 in /v1/chat/completions.',
      type: 'invalid_request_error',
      param: 'reasoning_effort',
    },
  };
  const efforts = () => server?.requests.map(({ body }) => body.reasoning_effort);

  it.each(['gpt-5.4', 'gpt-5.5', 'gpt-5.6-sol', 'gpt-6-sol'])(
    '%s is asked not to think while it has tools, and that is said once',
    async (name) => {
      server = await wireServer([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
      const model = openaiChat({
        model: name,
        apiKey: 'k',
        baseUrl: home,
        environment: throughServer(),
        parameters: { effort: 'high' },
      });
      const events = await call(model, request([user('?')], { tools }));
      expect(noticesIn(events)).toEqual(['thinking_rests']);
      expect(events.find(({ type }) => type === 'notice')).toMatchObject({
        message: expect.stringContaining(`openai/${name}`) as string,
      });
      expect(noticesIn(await call(model, request([user('?')], { tools })))).toEqual([]);
      await call(model, request([user('?')]));
      expect(efforts()).toEqual(['none', 'none', 'high']);
    },
  );

  it('that a model cannot have says which one can', async () => {
    server = await wireServer([{ text: 'one' }]);
    const model = openaiChat({ model: 'gpt-6.1-sol', apiKey: 'k', baseUrl: home, environment: throughServer() });
    const events = async () => call(model, request([user('?')], { tools }));
    expect(await thrownBy(events())).toMatchObject({
      code: 'bad_config',
      message: expect.stringContaining('Choose openai/gpt-6.1-sol') as string,
    });
    expect(server.requests).toHaveLength(0);
    await answerOf(model, request([user('?')]));
  });

  it('are found out behind a gateway by its first refusal', async () => {
    server = await wireServer([refusal, { text: 'one' }, { text: 'two' }]);
    const model = openaiChat({
      model: 'gpt-5.5',
      id: 'corp/gpt-5.5',
      baseUrl: `${server.url}/v1`,
      environment: {},
      parameters: { effort: 'high' },
    });
    expect(noticesIn(await call(model, request([user('?')], { tools })))).toEqual(['thinking_rests']);
    expect(noticesIn(await call(model, request([user('?')], { tools })))).toEqual([]);
    expect(efforts()).toEqual(['high', 'none', 'none']);
  });

  it('are no matter to models that take both', async () => {
    server = await wireServer([{ text: 'one' }]);
    const parameters = { effort: 'high' };
    const model = openaiChat({ model: 'gpt-5', apiKey: 'k', baseUrl: home, environment: throughServer(), parameters });
    expect(noticesIn(await call(model, request([user('?')], { tools })))).toEqual([]);
    expect(efforts()).toEqual(['high']);
  });
});
