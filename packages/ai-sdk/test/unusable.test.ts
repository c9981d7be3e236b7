import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { afterEach, describe, expect, it } from 'vitest';
import { certificate, privateKey } from '../../models/test/certificate.ts';
import { call, request, thrownBy, user } from '../../models/test/support.ts';
import { fromAiSdk } from '../src/index.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const ask = request([user('Hi')]);
const at = (baseURL: string) => createOpenAICompatible({ name: 'local', baseURL })('m');

describe('M2: an address without a model, reached by the AI SDK', () => {
  it.each([true, false])('is known for what it is by its web page (streaming: %s)', async (isStreaming) => {
    const page = '<!DOCTYPE html><html><head><title>Sign in</title></head><body>Welcome</body></html>';
    const server = createServer((incoming, outgoing) => {
      incoming.resume().once('end', () => outgoing.writeHead(200, { 'content-type': 'text/html' }).end(page));
    });
    const model = fromAiSdk(at(`http://127.0.0.1:${await listen(server)}`), { isStreaming });
    expect(await thrownBy(call(model, ask))).toMatchObject({ code: 'not_a_model' });
  });

  it('is known by a certificate that nobody trusts', async () => {
    const port = await listen(createSecureServer({ cert: certificate, key: privateKey }));
    const model = fromAiSdk(at(`https://127.0.0.1:${port}`));
    expect(await thrownBy(call(model, ask))).toMatchObject({ code: 'untrusted_certificate' });
  });
});
