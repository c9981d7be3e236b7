import { createServer as createWebServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type HostList, permits } from '../src/sandbox/network/access.ts';
import { openGateway } from '../src/sandbox/network/gateway.ts';

type Options = Partial<Parameters<typeof openGateway>[0]>;

const only = (...hosts: string[]): HostList => ({ hosts, within: null });

async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** A gateway that can be talked to. Every name leads where `names` says, and else nowhere. */
async function open(list: HostList, names: Record<string, string[]> = {}, options: Options = {}) {
  const network = {
    resolve: async (host: string) => names[host] ?? Promise.reject(new Error('no such name')),
    permits: () => false,
    now: () => 0,
  };
  const gateway = openGateway({ list, environment: {}, network, ...options });
  const entrance = createServer();
  const port = await listening(entrance);
  gateway.serve(entrance);
  onTestFinished(() => gateway.close());
  /** All that is answered to these bytes until the connection is closed. */
  const say = async (text: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(text);
    let answer = '';
    for await (const piece of socket.setEncoding('latin1')) answer += piece;
    return answer;
  };
  const get = (url: string, more = '') => say(`GET ${url} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${more}\r\n`);
  const tunnel = (place: string, then = '') => say(`CONNECT ${place} HTTP/1.1\r\nHost: ${place}\r\n\r\n${then}`);
  return { gateway, port, say, get, tunnel };
}

type Seen = { method: string; url: string; headers: IncomingHttpHeaders; body: string };

/** A web server that remembers what it was asked. */
async function web(answer: RequestListener = (_, response) => response.end('reached'), host?: string) {
  const seen: Seen[] = [];
  const server = createWebServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
    answer(request, response);
  });
  const port = await listening(server, host);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port, seen };
}

const plainGet = (host: string) => `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;

describe('P10: the way out to a list of hosts', () => {
  it('passes plain requests and tunnels on to a host of the list', async () => {
    const { port, seen } = await web();
    const { get, tunnel, gateway } = await open(only(`127.0.0.1:${port}`));
    expect(await get(`http://127.0.0.1:${port}/a?b#c`)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*reached$/);
    expect(await tunnel(`127.0.0.1:${port}`, plainGet('127.0.0.1'))).toMatch(
      /^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK[\s\S]*reached/,
    );
    expect(seen.map(({ url }) => url)).toEqual(['/a?b', '/']);
    expect(gateway.refused()).toEqual([]);
  });

  it('refuses what is not on it with a sentence that says what to add, and remembers where', async () => {
    const { get, tunnel, gateway } = await open(only('good.example', '*.wild.example'), {
      'evil.example': ['1.1.1.1'],
    });
    const answer = await tunnel('evil.example:443');
    expect(answer).toMatch(/^HTTP\/1\.1 403 Refused by the sandbox\r\n/);
    expect(answer).toContain(
      'The sandbox refused network access to evil.example:443; to allow it, add evil.example to sandboxNetwork in the settings.\n',
    );
    expect(await get('http://evil.example:81/')).toContain('add evil.example:81 to sandboxNetwork');
    for (const place of ['wild.example:443', 'good.example.evil.example:443', 'good.example:22', 'x.good.example:443'])
      expect(await tunnel(place)).toContain('403 Refused');
    expect(await get('http://evil.example:81/again')).toContain('403');
    expect(gateway.refused()).toEqual([
      'evil.example:443',
      'evil.example:81',
      'wild.example:443',
      'good.example.evil.example:443',
      'good.example:22',
      'x.good.example:443',
    ]);
  });

  it('holds what a project leaves of it as well', async () => {
    const { port } = await web();
    const [one, other] = [`127.0.0.1:${port}`, `localhost:${port}`];
    const names = { localhost: ['127.0.0.1'] };
    const both = await open({ hosts: [one, other], within: [one] }, names);
    expect(await both.get(`http://${one}/`)).toContain('reached');
    expect(await both.get(`http://${other}/`)).toContain('403');
    const wider = await open({ hosts: [one], within: [one, other] }, names);
    expect(await wider.get(`http://${other}/`)).toContain('403');
    const any = await open({ hosts: 'any', within: [other] }, names);
    expect(await any.get(`http://${one}/`)).toContain('403');
    expect(await any.get(`http://${other}/`)).toContain('reached');
  });

  it.each(['127.0.0.1', '10.0.0.7', '169.254.169.254', '::1', 'fd00::1', '::ffff:127.0.0.1'])(
    'refuses a name behind a * that leads to %s, also beside a public address',
    async (address) => {
      const names = { 'a.wild.example': [address], 'b.wild.example': ['1.1.1.1', address] };
      const { tunnel, gateway } = await open(only('*.wild.example'), names);
      const answer = await tunnel('a.wild.example:443');
      expect(answer).toContain('The sandbox refused network access to a.wild.example:443: ');
      expect(answer).toContain('is not on the public Internet');
      expect(await tunnel('b.wild.example:443')).toContain('403');
      expect(gateway.refused()).toEqual(['a.wild.example:443', 'b.wild.example:443']);
    },
  );

  it('goes to this machine where the very name is on the list, or the address that the name leads to', async () => {
    const { port } = await web();
    const names = { 'db.wild.example': ['127.0.0.1'] };
    for (const list of [
      only(`db.wild.example:${port}`),
      only(`*.wild.example:${port}`, '127.0.0.0/8'),
      only('*.wild.example:*', `127.0.0.1:${port}`),
    ])
      expect(await (await open(list, names)).get(`http://db.wild.example:${port}/`)).toContain('reached');
    const elsewhere = await open(only('*.wild.example:*', `127.0.0.1:${port + 1}`), names);
    expect(await elsewhere.get(`http://db.wild.example:${port}/`)).toContain('403');
  });

  it('goes to no cloud’s metadata by whatever name, but by its address', async () => {
    const names = { 'meta.example': ['169.254.169.254'] };
    const named = await open(only('meta.example'), names);
    expect(await named.get('http://meta.example/')).toContain('403 Refused');
    // Not asked for: some machines have one.
    const url = new URL('http://169.254.169.254/');
    expect(permits(only('169.254.169.254'), url, '169.254.169.254')).toBe(true);
    expect(permits(only('169.254.0.0/16'), url, '169.254.169.254')).toBe(true);
  });

  it('takes an address for what it means, however it is written', async () => {
    const { port } = await web();
    const listed = await open(only(`127.0.0.1:${port}`));
    for (const host of ['0x7f.1', '2130706433', '127.1', '0177.0.0.1'])
      expect(await listed.get(`http://${host}:${port}/`)).toContain('reached');
    const other = await open(only('*.example', '127.0.0.1:1'));
    for (const host of ['0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]', 'localhost'])
      expect(await other.tunnel(`${host}:${port}`)).toContain('403 Refused');
  });

  it('reaches IPv6 addresses that are on it', async () => {
    const { port } = await web(undefined, '::1');
    const { get, tunnel } = await open(only(`[::1]:${port}`));
    expect(await get(`http://[::1]:${port}/`)).toContain('reached');
    expect(await tunnel(`[0:0::1]:${port}`, plainGet('x'))).toContain('reached');
  });

  it('connects to the addresses that it has checked, not to what the name means by then', async () => {
    const { port } = await web();
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    const network = { resolve: async () => answers.shift() ?? [], permits: () => false, now: () => 0 };
    const { get } = await open(only(`db.example:${port}`), {}, { network });
    expect(await get(`http://db.example:${port}/`)).toContain('reached');
    expect(answers).toHaveLength(1);
  });

  it('says of a name that is not found, and of a port where nobody is, that it is not the sandbox', async () => {
    const { tunnel, get, gateway } = await open(only('a.example', '127.0.0.1:9'));
    expect(await tunnel('a.example:443')).toMatch(/^HTTP\/1\.1 502 [\s\S]*The name a\.example was not found/);
    expect(await get('http://127.0.0.1:9/')).toMatch(/^HTTP\/1\.1 502 [\s\S]*it refuses connections/);
    expect(gateway.refused()).toEqual([]);
  });

  it('goes through the user’s own proxy, which then looks up the names', async () => {
    const { port } = await web();
    const seen: string[] = [];
    const upstream = createWebServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.end('by the proxy');
    });
    upstream.on('connect', (request, near: Socket) => {
      seen.push(`CONNECT ${request.url}`);
      const far = connect(port, '127.0.0.1', () => near.write('HTTP/1.1 200 OK\r\n\r\n'));
      near.pipe(far).pipe(near);
    });
    const proxy = `http://127.0.0.1:${await listening(upstream)}`;
    onTestFinished(() => void upstream.close());
    const environment = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
    const { get, tunnel } = await open(only('a.example'), {}, { environment });
    expect(await get('http://a.example/x')).toContain('by the proxy');
    expect(await tunnel('a.example:443', plainGet('a.example'))).toContain('reached');
    expect(await tunnel('evil.example:443')).toContain('403 Refused');
    expect(seen).toEqual(['GET http://a.example/x', 'CONNECT a.example:443']);
  });
});

describe('P10: what goes over it', () => {
  it('is whole where one side has said all and still listens, and where the server speaks first', async () => {
    const server = createServer({ allowHalfOpen: true }, async (socket) => {
      socket.write('welcome\n');
      let said = '';
      for await (const piece of socket.setEncoding('utf8')) said += piece;
      socket.end(`${said.length} bytes`);
    });
    const port = await listening(server);
    onTestFinished(() => void server.close());
    const door = await open(only(`127.0.0.1:${port}`));
    const near = connect({ port: door.port, host: '127.0.0.1', allowHalfOpen: true });
    near.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
    near.end('x'.repeat(3_000_000));
    let answer = '';
    for await (const piece of near.setEncoding('utf8')) answer += piece;
    expect(answer).toBe('HTTP/1.1 200 Connection established\r\n\r\nwelcome\n3000000 bytes');
  });

  it('is what was asked for: a HEAD has no body, a body that breaks off is no whole one', async () => {
    const { port } = await web((request, response) => {
      response.writeHead(200, { 'content-length': '10' });
      if (request.method === 'HEAD') response.end();
      else response.write('half', () => response.destroy());
    });
    const { say, get } = await open(only(`127.0.0.1:${port}`));
    const head = await say(`HEAD http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(head).toMatch(/content-length: 10\r\n[\s\S]*\r\n\r\n$/i);
    expect(await get(`http://127.0.0.1:${port}/`)).toMatch(/content-length: 10\r\n[\s\S]*half$/i);
  });
});

describe('P10: the way out, under attack', () => {
  it('tells the server the host that was judged, whatever the Host field says', async () => {
    const { port, seen } = await web();
    const { say } = await open(only(`127.0.0.1:${port}`));
    await say(
      `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: evil.example\r\nProxy-Authorization: Basic eA==\r\nX-Hop: 1\r\nX-Stays: 1\r\nConnection: close, x-hop\r\n\r\n`,
    );
    expect(seen[0]?.headers).toMatchObject({ host: `127.0.0.1:${port}`, 'x-stays': '1' });
    expect(Object.keys(seen[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(['x-hop']));
    expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  it('judges every request of a connection', async () => {
    const { port, seen } = await web();
    const { say, gateway } = await open(only(`127.0.0.1:${port}`));
    const request = (host: string, end = '') => `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n${end}\r\n`;
    const good = request(`127.0.0.1:${port}`);
    const answer = await say(good + good + request('evil.example', 'Connection: close\r\n'));
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 403']);
    expect(seen).toHaveLength(2);
    expect(gateway.refused()).toEqual(['evil.example:80']);
  });

  it.each([
    ['two lengths', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['lengths that differ', 'Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello'],
    ['an odd encoding', 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a field with a blank', 'Content-Length : 5\r\n\r\nhello'],
    ['a bare line feed in a chunk', 'Transfer-Encoding: chunked\r\n\r\n1\nx\n0\n\n'],
  ])('passes on nothing that could be understood in two ways: %s', async (_, rest) => {
    const { port, seen } = await web();
    const { say } = await open(only(`127.0.0.1:${port}`));
    const answer = await say(
      `POST http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n${rest}GET http://127.0.0.1:${port}/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400/m);
    expect(seen.filter(({ url, body }) => url === '/smuggled' || body !== '')).toEqual([]);
  });

  it('passes bodies on, of a known and of an unknown length, and answers of any kind', async () => {
    const { port, seen } = await web((request, response) => {
      response.writeHead(request.url === '/gone' ? 204 : 418, { 'set-cookie': ['a=1', 'b=2'] });
      response.end(request.url === '/gone' ? undefined : 'x'.repeat(100_000));
    });
    const { say } = await open(only(`127.0.0.1:${port}`));
    const post = (path: string, rest: string) =>
      say(`POST http://127.0.0.1:${port}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${rest}`);
    const answer = await post('/', 'Content-Length: 5\r\nExpect: 100-continue\r\n\r\nhello');
    expect(answer).toContain('HTTP/1.1 418');
    expect(answer).toMatch(/set-cookie: a=1\r\nset-cookie: b=2/i);
    expect(answer.split('x').length).toBeGreaterThan(100_000);
    expect(await post('/gone', 'Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n')).toContain('204 No Content');
    expect(seen.map(({ body }) => body)).toEqual(['hello', 'abc']);
  });

  it.each([
    'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
    'GET https://127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET http://user:password@127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n',
    'GET ftp://127.0.0.1/ HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT 127.0.0.1 HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT 127.0.0.1:99999 HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT 127.0.0.1:0 HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT user@127.0.0.1:80 HTTP/1.1\r\nHost: x\r\n\r\n',
    'CONNECT 127.0.0.1:80/path HTTP/1.1\r\nHost: x\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000\u0001',
    '\u0005\u0001\u0000',
  ])('answers %j with 400', async (text) => {
    const { say } = await open(only('127.0.0.1:*'));
    expect(await say(text.includes('\n') ? text : `${text}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  });

  it('ends what sends too long a head, or takes too long for it', async () => {
    const { get, port } = await open(only('127.0.0.1:*'), {}, { limits: { headMs: 150 } });
    expect(await get('http://127.0.0.1:9/', `X: ${'x'.repeat(40_000)}\r\n`)).toContain('431');
    const slow = connect(port, '127.0.0.1');
    slow.write('GET http://127.0.0.1:9/ HTTP/1.1\r\nX: ');
    const drip = setInterval(() => slow.write('x'), 20);
    slow.on('error', () => undefined);
    await new Promise((resolve) => slow.once('close', resolve));
    clearInterval(drip);
  });

  it('ends what is silent for too long', async () => {
    const server = createServer((socket) => socket.on('error', () => undefined));
    const port = await listening(server);
    onTestFinished(() => void server.close());
    const { tunnel, get } = await open(only(`127.0.0.1:${port}`), {}, { limits: { idleMs: 100 } });
    expect(await tunnel(`127.0.0.1:${port}`)).toContain('200 Connection established');
    expect(await get(`http://127.0.0.1:${port}/`)).not.toContain('200');
  });

  it('serves two hundred at once, and no more than its limit', async () => {
    let release: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    let waiting = 0;
    const { port } = await web(async (_, response) => {
      waiting += 1;
      if (waiting === 200) release();
      await all;
      response.end('reached');
    });
    const { get } = await open(only(`127.0.0.1:${port}`));
    const answers = await Promise.all(Array.from({ length: 200 }, () => get(`http://127.0.0.1:${port}/`)));
    expect(answers.filter((answer) => answer.includes('reached'))).toHaveLength(200);
    const few = await open(only(`127.0.0.1:${port}`), {}, { limits: { connections: 0 } });
    expect(await few.get(`http://127.0.0.1:${port}/`)).toBe('');
  });

  it('breaks off all that is under way when it is closed, and serves nobody afterwards', async () => {
    const ended: Promise<unknown>[] = [];
    const server = createServer((socket) => {
      ended.push(new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve)));
    });
    const port = await listening(server);
    onTestFinished(() => void server.close());
    const door = await open(only(`127.0.0.1:${port}`));
    const near = connect(door.port, '127.0.0.1');
    near.on('error', () => undefined);
    near.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`);
    await new Promise((resolve) => near.once('data', resolve));
    door.gateway.close();
    await Promise.all([...ended, new Promise((resolve) => near.once('close', resolve))]);
    expect(ended).toHaveLength(1);
    const late = createServer();
    const latePort = await listening(late);
    door.gateway.serve(late);
    for (const place of [door.port, latePort]) {
      const refused = connect(place, '127.0.0.1');
      expect(await new Promise((resolve) => refused.once('error', resolve))).toMatchObject({ code: 'ECONNREFUSED' });
    }
  });
});
