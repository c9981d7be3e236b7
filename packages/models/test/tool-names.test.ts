import type { Model } from '@pawl/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { anthropic, google, openai, openaiChat, type WireOptions } from '../src/index.ts';
import { type WireServer, wireServer } from '../src/testing/index.ts';
import { answerOf, assistant, request, results, user } from './support.ts';

let server: WireServer | undefined;
afterEach(() => server?.close());

const wires: readonly (readonly [string, string, (options: WireOptions) => Model])[] = [
  ['anthropic', '', anthropic],
  ['openai', '/v1', openai],
  ['openai-chat', '/v1', openaiChat],
  ['google', '', google],
];

/** The names of calls and results in a body. */
function namesIn(raw: string): string[] {
  return [...raw.matchAll(/"name":"([^"]*)"/g)].map(([, name = '']) => name);
}

describe('M3: a name that the model invented for a tool', () => {
  it.each(wires)('goes back as the API takes names, the same for call and result: %s', async (_wire, path, open) => {
    server = await wireServer([{ text: 'ok' }]);
    const model = open({ model: 'm', apiKey: 'k', baseUrl: server.url + path, environment: {} });
    const invented = ['read file.txt/now!', '1st', '', 'x'.repeat(300), 'lies🙂'];
    const messages = invented.flatMap((tool, index) => [
      assistant([{ type: 'tool_call', id: `c${index}`, tool, input: {} }], model.id),
      results({ call: `c${index}`, tool, content: 'There is no such tool.' }),
    ]);
    await answerOf(model, request([user('?'), ...messages]));
    // Where there were calls, one API wants tools, and gets one that is none.
    const names = namesIn(server.requests[0]?.raw ?? '').filter((name) => name !== 'none');
    expect(names[0]).toBe('read_file_txt_now_');
    expect(names.length).toBeGreaterThanOrEqual(invented.length);
    for (const name of names) expect(name).toMatch(/^[\w-]{1,128}$/);
    const places = names.length / invented.length;
    if (places === 2)
      expect(names.filter((_name, index) => index % 2 === 0)).toEqual(names.filter((_name, index) => index % 2 === 1));
  });

  it('begins with a letter or an underscore where the API wants that', async () => {
    server = await wireServer([{ text: 'ok' }]);
    const model = google({ model: 'm', apiKey: 'k', baseUrl: server.url, environment: {} });
    const call = assistant([{ type: 'tool_call', id: 'c', tool: '1st', input: {} }], model.id);
    await answerOf(model, request([user('?'), call, results({ call: 'c', tool: '1st', content: 'no' })]));
    expect(namesIn(server.requests[0]?.raw ?? '')).toEqual(['_1st', '_1st']);
  });
});
