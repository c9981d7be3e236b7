import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { closedAddress } from '../../src/web/addresses.ts';
import { targetOf } from '../../src/web/target.ts';

const publicRules = { ports: [80, 443], permits: () => false };
const check = (url: string) => targetOf(url, publicRules).href;

const closedIpv4 = [
  '0.0.0.0',
  '0.255.255.255',
  '10.0.0.1',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.169.254',
  '169.254.170.2',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.1.1',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
];
const openIpv4 = [
  '1.1.1.1',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '223.255.255.255',
  '93.184.215.14',
];

/** The same IPv4 address as people and attackers write it in a URL. */
function spellings(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  const hex = (value: number) => `0x${value.toString(16)}`;
  const octal = (value: number) => `0${value.toString(8)}`;
  const wide = (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
  return [
    address,
    `${address}.`,
    String(whole),
    hex(whole),
    octal(whole),
    [a, b, c, d].map(hex).join('.'),
    [a, b, c, d].map(octal).join('.'),
    [hex(a), octal(b), c, d].join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${hex(a)}.${b}.${c * 256 + d}`,
    wide(address),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '%2e'),
    [a, b, c, d].map((part) => `%3${String(part)[0]}${String(part).slice(1)}`).join('.'),
  ];
}

/** The same IPv4 address inside IPv6. */
function inIpv6(address: string): string[] {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  const groups = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  return [
    `::ffff:${address}`,
    `::ffff:${groups}`,
    `0:0:0:0:0:FFFF:${groups}`,
    `64:ff9b::${address}`,
    `64:ff9b::${groups}`,
  ];
}

describe('T5, scenario 51: addresses that are not the public Internet', () => {
  it.each(closedIpv4)('%s is refused in every spelling of a URL', (address) => {
    expect(closedAddress(address)).not.toBeNull();
    const urls = [...spellings(address), ...inIpv6(address).map((inner) => `[${inner}]`)];
    for (const host of urls)
      expect(() => check(`http://${host}/latest/meta-data`), host).toThrow(
        /not on the public Internet|names no host|is not a URL/,
      );
  });

  it.each(openIpv4)('%s is public, also inside IPv6', (address) => {
    expect(closedAddress(address)).toBeNull();
    for (const inner of inIpv6(address)) expect(closedAddress(inner), inner).toBeNull();
    expect(check(`http://${address}/`)).toBe(`http://${address}/`);
  });

  it.each([
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::127.0.0.1',
    '::7f00:1',
    'fc00::1',
    'fd00:ec2::254',
    'fdff::1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fec0::1',
    'ff02::1',
    '2001::1',
    '2001:0:53aa:64c:0:0:0:1',
    '2001:db8::1',
    '2002:7f00:1::',
    '2002:a9fe:a9fe::1',
    '3fff::1',
    '64:ff9b:1::1',
    '100::1',
    '4000::1',
    '5f00::1',
    '::ffff:0:127.0.0.1',
    '',
    'localhost',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
  ])('the address "%s" is not reached', (address) => {
    expect(closedAddress(address)).not.toBeNull();
  });

  it.each(['2606:4700:4700::1111', '2a00:1450:4001:800::200e', '2003::1', '2001:4860:4860::8888', '3ffe::1'])(
    '%s is public',
    (address) => {
      expect(closedAddress(address)).toBeNull();
      expect(check(`https://[${address}]/`)).toContain('[');
    },
  );

  it('judges an IPv6 address alike however it is written', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(fc.tuple(group, group, group, group, group, group, group, group), (groups) => {
        const long = groups.map((each) => each.toString(16).padStart(4, '0').toUpperCase()).join(':');
        const short = new URL(`http://[${long}]/`).hostname.slice(1, -1);
        const [first = 0] = groups;
        expect(closedAddress(long)).toBe(closedAddress(short));
        if (first >> 13 !== 1 && !short.startsWith('::ffff:') && !short.startsWith('64:ff9b:'))
          expect(closedAddress(short)).not.toBeNull();
      }),
    );
  });

  it('lets no random IPv4 address through that Node’s own list holds for closed', async () => {
    const { BlockList } = await import('node:net');
    const list = new BlockList();
    for (const [network, length] of [
      ['0.0.0.0', 8],
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['224.0.0.0', 3],
    ] as const)
      list.addSubnet(network, length);
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        if (list.check(address)) expect(closedAddress(address)).not.toBeNull();
      }),
      { numRuns: 2000 },
    );
  });
});

describe('T5: what is asked for at all', () => {
  it.each([
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://metadata.google.internal/',
    'http://metadata/',
    'http://printer.local/',
    'http://router.lan/',
    'http://x.home.arpa/',
    'http://ｌｏｃａｌｈｏｓｔ/',
    'http://local\thost/',
    'http://loc%61lhost/',
  ])('%s is a local name', (url) => {
    expect(() => check(url)).toThrow('not on the public Internet');
  });

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://example.com/',
    'data:text/html,x',
    'javascript:alert(1)',
    'blob:https://example.com/x',
    'example.com',
    '//example.com',
    '',
    'http://',
    'https:///',
    'http://exa mple.com/',
    'http://user@example.com/',
    'https://a:b@example.com/',
    'http://example.com:99999/',
    'http://[::1',
    `https://example.com/${'x'.repeat(9000)}`,
  ])('%s is no URL to fetch', (url) => {
    expect(() => check(url)).toThrow();
  });

  it('other ports than the usual are refused unless they were opened', () => {
    for (const port of [22, 25, 6379, 8080, 11211])
      expect(() => check(`http://example.com:${port}/`)).toThrow('only 80 and 443');
    expect(check('http://example.com:443/')).toBe('http://example.com:443/');
    expect(targetOf('http://example.com:8080/', { ...publicRules, ports: 'any' }).port).toBe('8080');
  });

  it('a user before the @ is never taken for the host', () => {
    for (const url of [
      'https://docs.python.org@evil.com/',
      'https://docs.python.org:x@127.0.0.1/',
      'https://docs.python.org%40@evil.com/',
    ])
      expect(() => check(url)).toThrow('user name or password');
    // A backslash is a slash to the parser, and to nobody else.
    expect(check('https://docs.python.org\\@evil.com/')).toBe('https://docs.python.org/@evil.com/');
  });
});
