import { describe, expect, it } from 'vitest';
import { openaiChat } from '../src/index.ts';
import { scriptedModel, wireServer } from '../src/testing/index.ts';
import { answerOf, assistant, call, request, results, thrownBy, user } from './support.ts';

describe('a scripted model', () => {
  it('answers step by step, and is done at the end', async () => {
    const model = scriptedModel([
      { text: 'Hm.', calls: [{ tool: 'read', input: { path: 'a' } }] },
      { text: 'Done.', expect: { user: 'Read', results: [/^the/], tools: [] } },
    ]);
    const messages = [user('Read a.')];
    expect((await answerOf(model, request(messages))).stopReason).toBe('tool_calls');
    expect(() => model.done()).toThrow(expect.objectContaining({ code: 'script_drift' }));
    const more = [
      ...messages,
      assistant([{ type: 'tool_call', id: 'c', tool: 'read', input: {} }]),
      results({ call: 'c', tool: 'read', content: 'the text' }),
    ];
    expect((await answerOf(model, request(more))).content).toEqual([{ type: 'text', text: 'Done.' }]);
    expect(() => model.done()).not.toThrow();
    expect(model.requests.map(({ messages: seen }) => seen.length)).toEqual([1, 3]);
  });

  it.each([
    [{ user: 'Write' }, /should say "Write", but says "Read a\."/],
    [{ user: /^Write/ }, /should say/],
    [{ results: ['x'] }, /results should be/],
    [{ tools: ['bash'] }, /tools should be bash/],
  ])('fails with script_drift when it expects %j', async (expectation, said) => {
    const model = scriptedModel([{ text: 'ok', expect: expectation }]);
    expect(await thrownBy(call(model, request([user('Read a.')])))).toMatchObject({
      code: 'script_drift',
      message: expect.stringMatching(said) as string,
    });
  });

  it('fails with script_drift when it is called once too often, and throws what a function of the request throws', async () => {
    expect(await thrownBy(call(scriptedModel([]), request([])))).toMatchObject({ code: 'script_drift' });
    const model = scriptedModel([
      {
        text: 'ok',
        expect: () => {
          throw new Error('not so');
        },
      },
    ]);
    expect(await thrownBy(call(model, request([])))).toMatchObject({ message: 'not so' });
  });

  it('fails as scripted, and ends when it is cancelled while it waits', async () => {
    const model = scriptedModel([
      { error: { code: 'overloaded', message: 'Busy.' } },
      { text: 'never', after: new Promise(() => {}) },
    ]);
    expect(await thrownBy(call(model, request([])))).toMatchObject({ code: 'overloaded' });
    const controller = new AbortController();
    const waiting = thrownBy(call(model, request([]), controller.signal));
    controller.abort();
    expect(await waiting).toMatchObject({ code: 'cancelled' });
  });

  it('has malformed calls as well', async () => {
    const model = scriptedModel([{ calls: [{ tool: 'read', malformed: '{"pa' }] }]);
    expect((await answerOf(model, request([]))).content).toEqual([
      { type: 'tool_call', tool: 'read', input: {}, malformed: '{"pa' },
    ]);
  });
});

describe('a server of the wires', () => {
  it('shows a request as either wire means it, and computes its answer from it', async () => {
    const server = await wireServer(({ messages, tools, system }) => ({
      text: JSON.stringify([system, tools, messages]),
    }));
    const model = openaiChat({ model: 'm', baseUrl: `${server.url}/v1`, environment: {} });
    const asked = request(
      [
        user('Read a.'),
        assistant([{ type: 'tool_call', id: 'c', tool: 'read', input: { path: 'a' } }]),
        results({ call: 'c', tool: 'read', content: 'the text' }),
      ],
      { system: 'Be brief.', tools: [{ name: 'read', description: '', inputSchema: {} }] },
    );
    const [part] = (await answerOf(model, asked)).content;
    expect(JSON.parse(part?.type === 'text' ? part.text : '')).toEqual([
      'Be brief.',
      ['read'],
      [
        { role: 'user', text: 'Read a.', calls: [], results: [] },
        { role: 'assistant', text: '', calls: [{ id: 'c', tool: 'read', input: { path: 'a' } }], results: [] },
        { role: 'tool', text: '', calls: [], results: [{ call: 'c', content: 'the text', isError: false }] },
      ],
    ]);
    await server.close();
  });

  it('has no answer beyond its script, nor at another address', async () => {
    const server = await wireServer([]);
    const model = openaiChat({ model: 'm', baseUrl: `${server.url}/v1`, environment: {} });
    expect(await thrownBy(call(model, request([])))).toMatchObject({ code: 'bad_request' });
    expect(() => server.done()).toThrow(expect.objectContaining({ code: 'script_drift' }));
    const lost = openaiChat({ model: 'm', baseUrl: `${server.url}/v2/x/chat`, environment: {} });
    expect(await thrownBy(call(lost, request([])))).toMatchObject({ code: 'bad_request' });
    await server.close();
  });
});
