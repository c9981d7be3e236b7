import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Model } from '@pawl/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { networkError } from '../src/http/failure.ts';
import { anthropic, google, isTransientFailure, openai, openaiChat, pool, type WireOptions } from '../src/index.ts';
import { wireServer } from '../src/testing/index.ts';
import { certificate, privateKey } from './certificate.ts';
import { answerOf, call, request, thrownBy, user } from './support.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A server that answers all that it is asked with this, and how often it was asked. */
async function says(body: string, contentType: string) {
  let asked = 0;
  const server = createServer((incoming, outgoing) => {
    asked += 1;
    incoming.resume().once('end', () => outgoing.writeHead(200, { 'content-type': contentType }).end(body));
  });
  return { url: `http://127.0.0.1:${await listen(server)}`, asked: () => asked };
}

const ask = request([user('Hi')]);
const page = '<!DOCTYPE html><html><head><title>Sign in\n to Wi-Fi</title></head><body>Welcome</body></html>';

const wires: [string, (options: WireOptions) => Model][] = [
  ['anthropic', anthropic],
  ['openai', openai],
  ['openai-chat', openaiChat],
  ['google', google],
];
const at = (baseUrl: string) => ({ model: 'm', apiKey: 'k', baseUrl, environment: {} });

describe('M2: a web page with status 200', () => {
  it.each(wires)('is one clear sentence at once, over %s', async (_name, make) => {
    const { url, asked } = await says(page, 'text/html; charset=utf-8');
    const error = await thrownBy(call(pool([make(at(url))]), ask));
    expect(error).toMatchObject({
      code: 'not_a_model',
      message:
        "127.0.0.1 answered with a web page (“Sign in to Wi-Fi”) where a model's answer should be. Check the base URL, and whether a login page, a proxy or a firewall stands in between.",
    });
    expect(asked()).toBe(1);
  });

  it.each([
    ['that is called a stream', page, 'text/event-stream'],
    ['that is called JSON', `\n  ${page}`, 'application/json'],
    ['in old markup', '<?xml version="1.0"?>\n<!-- x --><HTML><body>hi</body></HTML>', 'text/plain'],
    ['without a body', '', 'text/html'],
    ['that is a mere text', 'It works!', 'text/plain'],
  ])('%s is known for what it is', async (_how, body, contentType) => {
    const { url, asked } = await says(body, contentType);
    const error = await thrownBy(call(pool([anthropic(at(url))]), ask));
    expect(error).toMatchObject({ code: 'not_a_model' });
    expect(asked()).toBe(1);
  });

  it('is left for a model at another address', async () => {
    const { url } = await says(page, 'text/html');
    const server = await wireServer([{ text: 'Here.' }, { text: 'Again.' }]);
    closing.push(() => server.close());
    const model = pool([openaiChat({ ...at(url), id: 'a/m' }), openaiChat({ ...at(server.url), id: 'b/m' })]);
    expect((await answerOf(model, ask)).content).toEqual([{ type: 'text', text: 'Here.' }]);
  });

  it('is not seen in a stream that was cut before its first event, nor in one with noise before it', async () => {
    const { url } = await says('da', 'text/event-stream');
    expect(await thrownBy(call(anthropic(at(url)), ask))).toMatchObject({ code: 'stream_cut' });
    const noisy = await says(': hello\n\n', 'text/plain');
    expect(await thrownBy(call(anthropic(at(noisy.url)), ask))).toMatchObject({ code: 'stream_cut' });
  });
});

describe('M2: a connection that cannot come about', () => {
  it('for a certificate that nobody trusts is one clear sentence at once', async () => {
    let connections = 0;
    const secure = createSecureServer({ cert: certificate, key: privateKey });
    secure.on('connection', () => {
      connections += 1;
    });
    const port = await listen(secure);
    const error = await thrownBy(call(pool([anthropic(at(`https://127.0.0.1:${port}`))]), ask));
    expect(error).toMatchObject({
      code: 'untrusted_certificate',
      message: expect.stringMatching(/certificate of 127\.0\.0\.1 is not trusted.*NODE_EXTRA_CA_CERTS/) as string,
    });
    expect(connections).toBe(1);
  });

  it('for TLS at a port without it says so', async () => {
    const { url } = await says('', 'text/plain');
    const error = await thrownBy(call(pool([anthropic(at(url.replace('http:', 'https:')))]), ask));
    expect(error).toMatchObject({
      code: 'not_a_model',
      message: expect.stringContaining('http://') as string,
    });
  });

  const failed = (code: string, how: { hasConnected: boolean; hasAnswered?: boolean }) =>
    networkError(Object.assign(new Error(`getaddrinfo ${code} x.test`), { code }), 'x.test', how);

  it('for a host that nobody knows is final, unless it answered before or the name server is down', () => {
    const unknown = failed('ENOTFOUND', { hasConnected: false });
    expect(unknown).toMatchObject({
      code: 'unknown_host',
      message: expect.stringMatching(/no host x\.test.*base URL/) as string,
    });
    expect(isTransientFailure(unknown)).toBe(false);
    expect(failed('ENOTFOUND', { hasConnected: false, hasAnswered: true })).toMatchObject({
      code: 'connection_failed',
    });
    expect(failed('EAI_AGAIN', { hasConnected: false })).toMatchObject({ code: 'connection_failed' });
  });

  it.each([
    ['CERT_HAS_EXPIRED', /clock/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /another name/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /NODE_EXTRA_CA_CERTS/],
    ['SELF_SIGNED_CERT_IN_CHAIN', /NODE_EXTRA_CA_CERTS/],
  ])('for %s says what to do', (code, advice) => {
    const error = failed(code, { hasConnected: false });
    expect(error).toMatchObject({ code: 'untrusted_certificate' });
    expect(error.message).toMatch(advice);
  });
});
