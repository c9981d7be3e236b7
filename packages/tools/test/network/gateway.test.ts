import { createServer as createWebServer } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { permits } from '../../src/sandbox/network/access.ts';
import { listening, only, open, plainGet, web } from './door.ts';

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
    expect(await both.get(`http://${other}/`)).toContain(`add ${other} to sandboxNetwork in the project`);
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
    const translated = ['64:ff9b::a9fe:a9fe', '::ffff:a9fe:a9fe', '64:ff9b::a83f:8110', '64:ff9b::6464:64c8'];
    for (const address of [...translated, '192.0.0.192', 'fd00:ec2::254', 'fd00:ec2::23', 'fd20:ce::254'])
      expect({ address, isPermitted: permits(only('meta.example'), new URL('http://meta.example/'), address) }).toEqual(
        {
          address,
          isPermitted: false,
        },
      );
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
