import { createServer as createTcpServer } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createFetcher, page, serve } from './server.ts';

describe('T5, scenario 51: where a redirect leads', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data',
    'http://[::ffff:7f00:1]:22/',
    'http://[::ffff:169.254.169.254]/',
    'http://0x7f.2/',
    'http://2130706434/',
    'http://017700000002/',
    'http://localhost/',
    'http://metadata.google.internal/computeMetadata/v1/',
    '//10.0.0.1/',
    'http://[fd00:ec2::254]/',
    'http://[64:ff9b::a9fe:a9fe]/',
  ])('%s: nobody is asked, and the reason is said', async (location) => {
    const port = await serve((request, response) => {
      const isDeep = request.url !== '/hop';
      response.writeHead(302, { location: isDeep ? '/hop' : location }).end();
    });
    await expect(createFetcher().fetch(`http://site.example:${port}/start`)).rejects.toThrow(
      'not on the public Internet',
    );
  });

  it.each([
    'file:///etc/passwd',
    'gopher://x.example/',
    'data:text/html,x',
    'http://user:pass@site.example/',
    'http://[',
  ])('%s is refused as a hop too', async (location) => {
    const port = await serve((_, response) => response.writeHead(301, { location }).end());
    await expect(createFetcher().fetch(`http://site.example:${port}/`)).rejects.toThrow(/http|URL/);
  });

  it('a port that is closed is refused as a hop', async () => {
    const port = await serve((_, response) => response.writeHead(307, { location: `http://site.example:6379/` }).end());
    const fetcher = createFetcher({ ports: [port] });
    await expect(fetcher.fetch(`http://site.example:${port}/`)).rejects.toThrow('Port 6379');
  });

  it('another host is named and not asked, because a rule allowed only the first', async () => {
    const asked: string[] = [];
    const port = await serve((request, response) => {
      asked.push(`${request.headers.host}`);
      response.writeHead(302, { location: `http://docs.python.org.evil.com:${port}/?stolen` }).end();
    });
    const { content, isError } = await createFetcher().fetch(`http://docs.python.org:${port}/`);
    expect(content).toContain(
      `redirects elsewhere, and that was not asked:\nhttp://docs.python.org.evil.com:${port}/?stolen`,
    );
    expect(isError).toBeFalsy();
    expect(asked).toEqual([`docs.python.org:${port}`]);
  });

  it('another port of the same host is another place', async () => {
    const other = await serve(page('secret'));
    const port = await serve((_, response) =>
      response.writeHead(302, { location: `http://site.example:${other}/` }).end(),
    );
    expect((await createFetcher().fetch(`http://site.example:${port}/`)).content).toContain('redirects elsewhere');
  });

  it('a circle ends after five redirects', async () => {
    let asked = 0;
    const port = await serve((_, response) => {
      asked++;
      response.writeHead(302, { location: `/${asked}` }).end();
    });
    await expect(createFetcher().fetch(`http://site.example:${port}/`)).rejects.toThrow('more than 5 times');
    expect(asked).toBe(6);
  });

  it('within the host it is followed, relative and in UTF-8', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/start')
        response.writeHead(302, { location: Buffer.from('./é?a=1#x').toString('latin1') }).end();
      else response.writeHead(200, { 'content-type': 'text/plain' }).end(`at ${request.url}`);
    });
    const { content, details } = await createFetcher().fetch(`http://site.example:${port}/start`);
    expect(content).toContain('at /%C3%A9?a=1');
    expect(details).toMatchObject({ redirects: 1, status: 200 });
  });
});

describe('T5, scenario 51: a name that changes its mind', () => {
  it('is connected to where it was checked, however often it is asked again', async () => {
    const port = await serve(page('the right one', { 'content-type': 'text/plain' }));
    let lookups = 0;
    const fetcher = createFetcher(
      {},
      {
        async resolve() {
          lookups++;
          return lookups === 1 ? ['127.0.0.1'] : ['169.254.169.254'];
        },
      },
    );
    expect((await fetcher.fetch(`http://rebind.example:${port}/`)).content).toContain('the right one');
    expect(lookups).toBe(1);
  });

  it('is refused when it has turned inwards at a later hop', async () => {
    let asked = 0;
    const port = await serve((_, response) => {
      asked++;
      response.writeHead(302, { location: `/${asked}` }).end();
    });
    let lookups = 0;
    const fetcher = createFetcher({}, { resolve: async () => (++lookups < 3 ? ['127.0.0.1'] : ['127.0.0.2']) });
    await expect(fetcher.fetch(`http://rebind.example:${port}/`)).rejects.toThrow('127.0.0.2: this machine');
    expect(asked).toBe(2);
  });

  it.each([
    [['127.0.0.1', '10.0.0.1']],
    [['127.0.0.1', '::1']],
    [['::ffff:10.0.0.1']],
    [['fe80::1%lo']],
    [['0.0.0.0']],
  ])('is refused when one of its addresses %j is inside', async (addresses) => {
    const fetcher = createFetcher({}, { resolve: async () => addresses });
    await expect(fetcher.fetch('http://mixed.example/')).rejects.toThrow('not on the public Internet');
  });

  it('is refused when it is this machine under its public address', async () => {
    const { networkInterfaces } = await import('node:os');
    const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
    for (const address of own) {
      const fetcher = createFetcher({}, { resolve: async () => [address], permits: () => false });
      await expect(fetcher.fetch('http://own.example/')).rejects.toThrow('not on the public Internet');
    }
  });

  it('that nobody knows is said to be unknown', async () => {
    const fetcher = createFetcher({}, { resolve: () => Promise.reject(new Error('ENOTFOUND')) });
    await expect(fetcher.fetch('http://nobody.example/')).rejects.toThrow('was not found');
  });

  it('that never answers is given up', async () => {
    const fetcher = createFetcher({ timeoutMs: 50 }, { resolve: () => new Promise(() => undefined) });
    await expect(fetcher.fetch('http://silent.example/')).rejects.toThrow('did not finish within 50 ms');
  });
});

describe('T5, scenario 51: bodies without end', () => {
  const tenGigabytes = 10_000_000_000;

  it('ten gigabytes are refused by their announced length', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': String(tenGigabytes) });
      response.write('x');
    });
    await expect(createFetcher().fetch(`http://site.example:${port}/`)).rejects.toThrow('larger than 5 MB');
  });

  it('an unannounced flood is read up to the limit and no further', async () => {
    let sent = 0;
    const closed = Promise.withResolvers<void>();
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const chunk = Buffer.alloc(65_536, 'x');
      const pump = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      };
      response.on('drain', pump).on('close', closed.resolve);
      pump();
    });
    await expect(createFetcher({ maxBodyBytes: 1_000_000 }).fetch(`http://site.example:${port}/`)).rejects.toThrow(
      'larger than 1 MB',
    );
    await closed.promise;
    expect(sent).toBeLessThan(30_000_000);
  });

  const bomb = Buffer.alloc(100_000_000);
  it.each([
    ['gzip', () => gzipSync(bomb)],
    ['deflate', () => deflateSync(bomb)],
    ['deflate', () => deflateRawSync(bomb)],
    ['br', () => brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
    ['zstd', () => zstdCompressSync(bomb)],
    ['gzip, gzip', () => gzipSync(gzipSync(bomb))],
  ])('a bomb of 100 MB in %s is stopped while it unpacks', async (coding, pack) => {
    const packed = pack();
    expect(packed.length).toBeLessThan(1_000_000);
    const port = await serve(page(packed, { 'content-encoding': coding }));
    const before = process.memoryUsage().arrayBuffers;
    await expect(createFetcher().fetch(`http://site.example:${port}/`)).rejects.toThrow('larger than 5 MB');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(60_000_000);
  });

  it('a body packed over and over, or in a way nobody knows, is refused', async () => {
    const deep = await serve(page(gzipSync('x'), { 'content-encoding': Array(50).fill('gzip').join(',') }));
    await expect(createFetcher().fetch(`http://site.example:${deep}/`)).rejects.toThrow('50 times over');
    const odd = await serve(page('x', { 'content-encoding': 'rot13' }));
    await expect(createFetcher().fetch(`http://site.example:${odd}/`)).rejects.toThrow('"rot13"');
  });

  it('a damaged body is an error and no page', async () => {
    const whole = gzipSync('hello '.repeat(1000));
    const port = await serve(page(whole.subarray(0, -12), { 'content-encoding': 'gzip' }));
    await expect(createFetcher().fetch(`http://site.example:${port}/`)).rejects.toThrow('cannot be unpacked');
  });
});

describe('T5, scenario 51: servers that never end', () => {
  it('one that accepts and says nothing is given up when it was silent for too long', async () => {
    const port = await serveTcp(() => undefined);
    await expect(createFetcher({ idleMs: 60 }).fetch(`http://site.example:${port}/`)).rejects.toThrow(
      'sent nothing for 60 ms',
    );
  });

  it('one that sends its head a byte at a time is given up when the time is over', async () => {
    const port = await serveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(createFetcher({ timeoutMs: 150 }).fetch(`http://site.example:${port}/`)).rejects.toThrow(
      'did not finish within 150 ms',
    );
  });

  it('one that sends its body a byte at a time is given up when the time is over, and never for being idle', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const timer = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(timer));
    });
    const fetcher = createFetcher({ timeoutMs: 400, idleMs: 200 });
    await expect(fetcher.fetch(`http://site.example:${port}/`)).rejects.toThrow('did not finish within 400 ms');
  });

  it('one that falls silent in its body is given up', async () => {
    const port = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('x');
    });
    await expect(createFetcher({ idleMs: 60 }).fetch(`http://site.example:${port}/`)).rejects.toThrow(
      'sent nothing for 60 ms',
    );
  });

  it('one that only ever says that it is about to answer is given up', async () => {
    const port = await serveTcp((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'), 5);
      socket.on('close', () => clearInterval(timer));
    });
    await expect(createFetcher({ timeoutMs: 150 }).fetch(`http://site.example:${port}/`)).rejects.toThrow(
      'did not finish within 150 ms',
    );
  });

  it.each([
    ['closes at once', ''],
    ['speaks something else', 'SSH-2.0-OpenSSH_9\r\n'],
    ['breaks off in its body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc'],
    ['has an endless head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
    ['changes the protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
  ])('one that %s is an error at once', async (_, answer) => {
    const port = await serveTcp((socket) => socket.end(answer));
    await expect(createFetcher().fetch(`http://site.example:${port}/`)).rejects.toThrow('could not be read');
  });

  it('a cancel ends it, whatever it is doing', async () => {
    const port = await serveTcp(() => undefined);
    const controller = new AbortController();
    const fetching = createFetcher().fetch(`http://site.example:${port}/`, {}, { signal: controller.signal });
    controller.abort(new Error('The user pressed Escape.'));
    await expect(fetching).rejects.toThrow('pressed Escape');
  });
});

async function serveTcp(onConnection: (socket: import('node:net').Socket) => void): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    sockets.add(socket);
    socket.resume();
    onConnection(socket);
  });
  const sockets = new Set<import('node:net').Socket>();
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
