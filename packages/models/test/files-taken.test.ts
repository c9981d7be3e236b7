import type { Model } from '@pawl/engine';
import type { FilePart, Message } from '@pawl/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelFacts } from '../src/catalogue/table.ts';
import { anthropic, google, openai, openaiChat, type WireOptions } from '../src/index.ts';
import { createModels } from '../src/select.ts';
import { type WireServer, wireServer } from '../src/testing/index.ts';
import { answerOf, assistant, request, user } from './support.ts';

let server: WireServer | undefined;
afterEach(() => server?.close());

const wires: readonly (readonly [string, string, (options: WireOptions) => Model])[] = [
  ['anthropic', '', anthropic],
  ['openai', '/v1', openai],
  ['openai-chat', '/v1', openaiChat],
  ['google', '', google],
];
const file = (name: string, mediaType: string): FilePart => ({
  type: 'file',
  name,
  mediaType,
  digest: name,
  sizeBytes: 3,
});
const image = file('a.png', 'image/png');
const pdf = file('b.pdf', 'application/pdf');
const text = file('c.txt', 'text/plain');
const messages: Message[] = [
  { role: 'user', source: 'input', content: [{ type: 'text', text: '?' }, image, pdf, text] },
  assistant([{ type: 'tool_call', id: 'c', tool: 'read', input: {} }], 'x/m'),
  { role: 'tool', results: [{ call: 'c', tool: 'read', status: 'ok', content: 'It is:', files: [image] }] },
];
const asked = request(messages, { file: () => Buffer.from('abc') });
const bytes = Buffer.from('abc').toString('base64');

describe('M13: a file that a model does not take', () => {
  it.each(wires)('is a text that says so, in inputs and in results: %s', async (_wire, path, open) => {
    server = await wireServer([{ text: 'ok' }, { text: 'ok' }, { text: 'ok' }]);
    const sent = async (facts?: ModelFacts) => {
      const options = { model: 'm', apiKey: 'k', baseUrl: `${server?.url}${path}`, environment: {} };
      await answerOf(open({ ...options, ...(facts && { facts }) }), asked);
      return server?.requests.at(-1)?.raw ?? '';
    };
    const blind = await sent({ takes: [] });
    expect(blind.split('[file a.png: this model takes no image/png]')).toHaveLength(3);
    expect(blind).toContain('[file b.pdf: this model takes no PDF]');
    expect(blind).not.toMatch(/image_url|input_image|"type":"image"|image\/png[^\]]/);
    // Text is for every model.
    expect(blind.includes('abc') || blind.includes(bytes)).toBe(true);
    const sighted = await sent({ takes: ['image'] });
    expect(sighted).not.toContain('takes no image');
    expect(sighted).toContain('[file b.pdf: this model takes no PDF]');
    // Where nobody knows, the API tells.
    expect(await sent()).not.toContain('takes no image');
  });

  it('goes to the models of a pool that take it, and not to the one that does not', async () => {
    server = await wireServer([{ status: 404, error: { type: 'not_found_error', message: 'gone' } }, { text: 'ok' }]);
    const baseUrl = `${server.url}/v1`;
    const models = createModels({
      environment: {},
      settings: {
        providers: { local: { wire: 'openai-chat', baseUrl } },
        pools: { both: ['local/sees', 'local/reads'] },
        models: { 'local/sees': { takes: ['image', 'pdf'] }, 'local/reads': { takes: [] } },
      },
    });
    await answerOf(await models.modelFor('both'), asked);
    const [first, second] = server.requests.map(({ raw }) => raw);
    expect(first).toContain('image_url');
    expect(second).not.toContain('image_url');
    expect(second).toContain('[file a.png: this model takes no image/png]');
  });

  it('costs a conversation without files no look at the catalogue', async () => {
    server = await wireServer([{ text: 'ok' }]);
    const facts: ModelFacts = {};
    Object.defineProperty(facts, 'takes', {
      get() {
        throw new Error('asked');
      },
    });
    const model = anthropic({ model: 'm', apiKey: 'k', baseUrl: server.url, environment: {}, facts });
    await expect(answerOf(model, request([user('?')]))).resolves.toMatchObject({ stopReason: 'end' });
  });
});
