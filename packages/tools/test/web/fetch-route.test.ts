import { createServer, request as plainRequest } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setDefaultCACertificates } from 'node:tls';
import { proxyFor } from '@pawl/protocol/proxy';
import { beforeAll, describe, expect, it } from 'vitest';
import { certificate, privateKey } from './certificate.ts';
import { createFetcher, listen, page, serve } from './server.ts';

beforeAll(() => setDefaultCACertificates([certificate]));

/** `callers` gets the port of each one that connects. */
function secure(body: string, callers: (number | undefined)[] = []): Promise<number> {
  const server = createSecureServer(
    { cert: certificate, key: privateKey },
    page(body, { 'content-type': 'text/plain' }),
  );
  server.on('connection', (socket) => callers.push((socket as Socket).remotePort));
  return listen(server);
}

/** A proxy that takes every name for this machine and writes down what it was asked for. */
async function serveProxy(
  status = 200,
): Promise<{ url: string; seen: string[]; credentials: string[]; ports: Set<number> }> {
  const seen: string[] = [];
  const credentials: string[] = [];
  const ports = new Set<number>();
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    credentials.push(request.headers['proxy-authorization'] ?? '');
    const target = new URL(request.url ?? '');
    const headers = { host: request.headers.host };
    const onward = plainRequest({ host: '127.0.0.1', port: target.port, path: target.pathname, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.end();
  });
  server.on('connect', (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    credentials.push(request.headers['proxy-authorization'] ?? '');
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const onward = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
      ports.add(onward.localPort ?? 0);
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      onward.pipe(socket).pipe(onward);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    return undefined;
  });
  return { url: `127.0.0.1:${await listen(server)}`, seen, credentials, ports };
}

const unknownName = { resolve: () => Promise.reject(new Error('ENOTFOUND')) };

describe('T5: TLS', () => {
  it('reads a page whose certificate is good', async () => {
    const port = await secure('over TLS');
    expect((await createFetcher().fetch(`https://127.0.0.1:${port}/`)).content).toContain('over TLS');
  });

  it('holds the certificate against the name, though the address is pinned', async () => {
    const port = await secure('over TLS');
    await expect(createFetcher().fetch(`https://site.example:${port}/`)).rejects.toThrow(
      'certificate is for another name',
    );
  });
});

describe('T5: proxies', () => {
  it('plain pages are asked of the proxy with their whole address, and it is said', async () => {
    const port = await serve(page('by proxy', { 'content-type': 'text/plain' }));
    const proxy = await serveProxy();
    const environment = { HTTP_PROXY: `http://us%40er:pa%3Ass@${proxy.url}` };
    const { content, details } = await createFetcher({ environment }, unknownName).fetch(
      `http://site.example:${port}/x`,
    );
    expect(proxy.seen).toEqual([`GET http://site.example:${port}/x`]);
    expect(proxy.credentials).toEqual([`Basic ${Buffer.from('us@er:pa:ss').toString('base64')}`]);
    expect(content).toContain(`through the proxy http://${proxy.url}`);
    expect(content).not.toContain('pa:ss');
    expect(details).toMatchObject({ proxy: `http://${proxy.url}` });
  });

  it('secure pages go through a tunnel, with TLS to the page itself', async () => {
    const callers: (number | undefined)[] = [];
    const port = await secure('through a tunnel', callers);
    const proxy = await serveProxy();
    const fetcher = createFetcher({ environment: { https_proxy: proxy.url, no_proxy: '<-loopback>' } }, unknownName);
    expect((await fetcher.fetch(`https://127.0.0.1:${port}/`)).content).toContain('through a tunnel');
    expect(proxy.seen).toEqual([`CONNECT 127.0.0.1:${port}`]);
    await expect(fetcher.fetch(`https://site.example:${port}/`)).rejects.toThrow('certificate is for another name');
    expect(proxy.seen).toContain(`CONNECT site.example:${port}`);
    expect(callers).toEqual([...proxy.ports]);
    expect(callers).toHaveLength(2);
  });

  it('a proxy that refuses, or is not there, is named', async () => {
    const proxy = await serveProxy(407);
    const refused = createFetcher({ environment: { https_proxy: proxy.url } }, unknownName);
    await expect(refused.fetch('https://site.example/')).rejects.toThrow(
      `The proxy ${proxy.url} refused site.example:443 with HTTP 407`,
    );
    const gone = createFetcher({ environment: { https_proxy: 'http://127.0.0.1:1' } }, unknownName);
    await expect(gone.fetch('https://site.example/')).rejects.toThrow('The proxy 127.0.0.1:1 failed');
    const odd = createFetcher({ environment: { https_proxy: 'socks5://127.0.0.1:1' } }, unknownName);
    await expect(odd.fetch('https://site.example/')).rejects.toThrow('HTTPS_PROXY names no HTTP proxy');
    const unread = createFetcher({ environment: { https_proxy: 'http://u:5%zz@127.0.0.1:1' } }, unknownName);
    await expect(unread.fetch('https://site.example/')).rejects.toMatchObject({ code: 'bad_proxy' });
  });

  it.each(['http://169.254.169.254/', 'http://localhost/', 'http://[::1]/', 'http://x.internal/'])(
    '%s is not asked of a proxy either',
    async (url) => {
      const proxy = await serveProxy();
      await expect(createFetcher({ environment: { http_proxy: proxy.url } }, unknownName).fetch(url)).rejects.toThrow(
        'not on the public Internet',
      );
      expect(proxy.seen).toEqual([]);
    },
  );

  it('a name that is known to lead inwards is not asked of a proxy', async () => {
    const proxy = await serveProxy();
    const fetcher = createFetcher({ environment: { http_proxy: proxy.url } }, { resolve: async () => ['10.1.2.3'] });
    await expect(fetcher.fetch('http://10.1.2.3.nip.example/')).rejects.toThrow('10.1.2.3: a private network');
    expect(proxy.seen).toEqual([]);
  });

  it.each([
    ['site.example', 'http://site.example/', true],
    ['.site.example', 'http://a.site.example/', true],
    ['*.site.example', 'http://a.site.example/', true],
    ['site.example:80', 'http://site.example/', true],
    ['site.example:8080', 'http://site.example/', false],
    ['other.example, site.example', 'https://site.example/', true],
    ['*', 'https://site.example/', true],
    ['te.example', 'http://site.example/', false],
    ['[2606:4700::1]:443', 'https://[2606:4700::1]/', true],
    ['2606:4700::1', 'https://[2606:4700::1]/', true],
    ['', 'http://site.example/', false],
    [' , ', 'http://site.example/', false],
  ])('NO_PROXY=%s for %s: %s', (list, url, isExempt) => {
    const environment = { HTTP_PROXY: 'p.example:1', HTTPS_PROXY: 'p.example:2', NO_PROXY: list };
    expect(proxyFor(new URL(url), environment) === null).toBe(isExempt);
  });

  it('lower case wins, and a proxy for all is one for each', () => {
    const target = new URL('https://site.example/');
    expect(proxyFor(target, { https_proxy: 'a.example', HTTPS_PROXY: 'b.example' })?.host).toBe('a.example');
    expect(proxyFor(target, { ALL_PROXY: 'https://c.example:8443' })?.href).toBe('https://c.example:8443/');
    expect(proxyFor(target, { http_proxy: 'a.example' })).toBeNull();
  });
});
