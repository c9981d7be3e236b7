import { anthropic, openaiChat } from '@pawl/models';
import { wireServer } from '@pawl/models/testing';
import { expect, it } from 'vitest';

it('a key that a provider echoes is not in the error (scenario 54)', async () => {
  const apiKey = 'sk-test-very-secret';
  const server = await wireServer(() => ({
    status: 401,
    error: { type: 'authentication_error', message: `The key ${apiKey} is not valid.` },
  }));
  const request = {
    session: 's',
    model: 'm',
    system: '',
    tools: [],
    messages: [{ role: 'user' as const, source: 'input' as const, content: [{ type: 'text' as const, text: 'Hi.' }] }],
    tail: null,
    maxOutputTokens: 10,
  };
  const models = [
    anthropic({ model: 'm', apiKey, baseUrl: server.url }),
    openaiChat({ model: 'm', apiKey, baseUrl: `${server.url}/v1` }),
  ];
  for (const model of models) {
    const events = model.stream(request, new AbortController().signal)[Symbol.asyncIterator]();
    const failure = (async () => {
      for (let event = await events.next(); event.done !== true; event = await events.next());
    })();
    await expect(failure).rejects.toMatchObject({ code: 'unauthorized', message: expect.stringContaining('[key]') });
    await expect(failure).rejects.not.toMatchObject({ message: expect.stringContaining(apiKey) });
  }
  await server.close();
});
