import { createServer, request as httpRequest, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { proxyFor } from '@pawl/protocol/proxy';
import { afterEach, describe, expect, it } from 'vitest';
import { anthropic } from '../src/index.ts';
import { wireServer } from '../src/testing/index.ts';
import { anthropicStream } from '../src/testing/wire-anthropic.ts';
import { certificate, privateKey } from './certificate.ts';
import { answerOf, call, request, thrownBy, user } from './support.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}

const ask = request([user('Hi')]);

function throughProxy(url: string, proxy: string) {
  return anthropic({
    model: 'm',
    apiKey: 'k',
    baseUrl: url,
    environment: { HTTPS_PROXY: proxy, NO_PROXY: '<-loopback>' },
  });
}

describe('a proxy', () => {
  it('is named by the environment, and not used for what NO_PROXY names', () => {
    const target = new URL('https://api.example.com/v1');
    const plain = new URL('http://10.0.0.1:8080/');
    const at = (url: URL, environment: Record<string, string>) => proxyFor(url, environment)?.href ?? null;
    expect(at(target, {})).toBeNull();
    expect(at(target, { HTTPS_PROXY: 'http://proxy:3128' })).toBe('http://proxy:3128/');
    expect(at(target, { HTTPS_PROXY: 'proxy:3128' })).toBe('http://proxy:3128/');
    expect(at(target, { HTTP_PROXY: 'http://proxy:3128' })).toBeNull();
    expect(at(plain, { http_proxy: 'http://a', HTTP_PROXY: 'http://b' })).toBe('http://a/');
    expect(at(target, { HTTPS_PROXY: 'http://proxy', NO_PROXY: 'example.com' })).toBeNull();
    expect(at(target, { HTTPS_PROXY: 'http://proxy', NO_PROXY: '.example.com, x' })).toBeNull();
    expect(at(target, { HTTPS_PROXY: 'http://proxy', NO_PROXY: 'ample.com' })).not.toBeNull();
    expect(at(target, { HTTPS_PROXY: 'http://proxy', NO_PROXY: '*' })).toBeNull();
    expect(at(plain, { HTTP_PROXY: 'http://proxy', NO_PROXY: '10.0.0.1:8080' })).toBeNull();
    expect(at(plain, { HTTP_PROXY: 'http://proxy', NO_PROXY: '10.0.0.1:9090' })).not.toBeNull();
    expect(at(new URL('http://[::1]:8080/'), { HTTP_PROXY: 'http://proxy', NO_PROXY: '::1' })).toBeNull();
    expect(() => at(target, { HTTPS_PROXY: 'socks5://proxy' })).toThrow(/HTTPS_PROXY/);
  });

  it('whose password has a percent sign of its own is refused with a sentence, before any request', async () => {
    const model = throughProxy('https://api.example.com', 'http://user:100%@proxy:3128');
    expect(await thrownBy(call(model, ask))).toMatchObject({
      code: 'bad_proxy',
      message: expect.stringContaining('with % as %25'),
    });
  });

  it('is not used for this machine, unless NO_PROXY says <-loopback>', () => {
    const environment = { HTTP_PROXY: 'http://proxy:3128', HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'example.com' };
    for (const host of [
      'localhost',
      'a.localhost',
      'localhost.',
      '127.0.0.1',
      '127.9.9.9',
      '127.1',
      '[::1]',
      '[::ffff:127.0.0.1]',
    ]) {
      for (const scheme of ['http', 'https']) {
        const target = new URL(`${scheme}://${host}:11434/v1`);
        expect(proxyFor(target, environment), host).toBeNull();
        expect(proxyFor(target, { ...environment, NO_PROXY: '<-loopback>' })?.host, host).toBe('proxy:3128');
        expect(proxyFor(target, { ...environment, NO_PROXY: `<-loopback>,*` }), host).toBeNull();
      }
    }
    for (const host of ['localhost.example.org', '127.example.org', '10.0.0.1', '[::2]', '128.0.0.1']) {
      expect(proxyFor(new URL(`http://${host}/`), environment)?.host, host).toBe('proxy:3128');
    }
  });

  it('is named where a request through it fails', async () => {
    const gone = await wireServer([]);
    await gone.close();
    const plain = anthropic({
      model: 'm',
      apiKey: 'k',
      baseUrl: 'http://models.example',
      environment: { HTTP_PROXY: gone.url.replace('//', '//me:hunter2@') },
    });
    const error = await thrownBy(call(plain, ask));
    expect(error).toMatchObject({ code: 'connection_failed' });
    expect((error as Error).message).toContain(`No connection to models.example through the proxy ${gone.url}: `);
    expect((error as Error).message).not.toContain('hunter2');
  });

  it('forwards plain requests, with its user and password, and is shown', async () => {
    const server = await wireServer([{ text: 'ok' }]);
    closing.push(() => server.close());
    const seen: (string | undefined)[] = [];
    const proxy = createServer((incoming, outgoing) => {
      seen.push(incoming.url, incoming.headers.host, incoming.headers['proxy-authorization']);
      const onward = httpRequest(
        incoming.url ?? '',
        { method: 'POST', headers: incoming.headers, agent: false },
        (answer) => {
          outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(onward);
    });
    const address = `127.0.0.1:${await listen(proxy)}`;
    closing.unshift(() => proxy.closeAllConnections());
    const model = anthropic({
      model: 'm',
      apiKey: 'k',
      baseUrl: server.url,
      environment: { HTTP_PROXY: `http://me:p%40ss@${address}`, NO_PROXY: '<-loopback>' },
    });
    const events = await call(model, ask);
    expect(events[0]).toEqual({ type: 'activity', activity: 'connecting', detail: `through http://${address}` });
    expect(events.at(-1)?.type).toBe('finished');
    const credentials = `Basic ${Buffer.from('me:p@ss').toString('base64')}`;
    expect(seen).toEqual([`${server.url}/v1/messages`, new URL(server.url).host, credentials]);
  });

  it('tunnels secure requests, keeps the tunnel, and is refused in words', async () => {
    const before = getCACertificates('default');
    setDefaultCACertificates([...before, certificate]);
    closing.push(() => setDefaultCACertificates(before));
    const body = anthropicStream({ text: 'ok' }, 'm');
    const secure = createSecureServer({ cert: certificate, key: privateKey }, (incoming, outgoing) => {
      incoming.resume().on('end', () => outgoing.writeHead(200, { 'content-type': 'text/event-stream' }).end(body));
    });
    const port = await listen(secure);
    closing.unshift(() => secure.closeAllConnections());
    const targets: string[] = [];
    const proxy = createServer();
    proxy.on('connect', (incoming, socket) => {
      targets.push(incoming.url ?? '');
      socket.on('error', () => socket.destroy());
      closing.unshift(() => socket.destroy());
      if (incoming.headers['proxy-authorization'] === undefined) {
        socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
        return;
      }
      const onward = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        onward.pipe(socket).pipe(onward);
      });
      onward.on('error', () => socket.destroy());
    });
    const address = `127.0.0.1:${await listen(proxy)}`;
    const model = throughProxy(`https://localhost:${port}`, `http://me:secret@${address}`);
    expect((await answerOf(model, ask)).content).toEqual([{ type: 'text', text: 'ok' }]);
    for (let n = 0; n < 4; n++) await answerOf(model, ask);
    expect(targets.length).toBeLessThanOrEqual(2);
    expect(targets[0]).toBe(`localhost:${port}`);

    const refused = await thrownBy(call(throughProxy(`https://localhost:${port}`, `http://${address}`), ask));
    expect(refused).toMatchObject({ code: 'proxy_refused', message: expect.stringContaining('407') as string });
    const gone = await wireServer([]);
    await gone.close();
    const unreachable = await thrownBy(call(throughProxy(`https://localhost:${port}`, gone.url), ask));
    expect(unreachable).toMatchObject({
      code: 'connection_failed',
      message: expect.stringContaining('HTTPS_PROXY') as string,
    });
  });
});
