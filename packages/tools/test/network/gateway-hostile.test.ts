import { connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listening, only, open, web } from './door.ts';

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

  it.each(['GET', 'POST', 'DELETE'])('keeps the length of a body that %s would have it drop', async (method) => {
    const { port, seen } = await web();
    const { say } = await open(only(`127.0.0.1:${port}`));
    const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: evil.example\r\n\r\n';
    await say(
      `${method} http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\nConnection: close, content-length, host\r\nContent-Length: ${smuggled.length}\r\n\r\n${smuggled}`,
    );
    expect(seen).toMatchObject([{ method, url: '/', body: smuggled, headers: { host: `127.0.0.1:${port}` } }]);
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

  it('asks for no more at the same time than its limit, also over a single connection', async () => {
    let asked = 0;
    const held: (() => void)[] = [];
    const { port } = await web((_, response) => {
      asked += 1;
      held.push(() => response.end('reached'));
      if (asked === 5) for (const release of held) release();
    });
    const { say } = await open(only(`127.0.0.1:${port}`), {}, { limits: { connections: 5 } });
    const request = `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: x\r\n`;
    const answer = await say(`${`${request}\r\n`.repeat(7)}${request}Connection: close\r\n\r\n`);
    expect(answer.match(/HTTP\/1\.1 \d+/g)?.slice(0, 6)).toEqual([
      ...Array<string>(5).fill('HTTP/1.1 200'),
      'HTTP/1.1 503',
    ]);
    expect(asked).toBe(5);
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
