/**
 * Patterns for addresses of the web: `example.com` (exactly this host), `*.example.com` (its subdomains),
 * `example.com:8443`, `10.0.0.0/8`, `[fd00::]/8`, `https://example.com/docs/*`. They are compared with what the URL
 * means and not with how it is written: `http://0x7f.1` is 127.0.0.1, and `https://good.com@evil.com` is evil.com.
 */
import { matchesText } from './wildcard.ts';

type Address = { host: string; port: string; isDefaultPort: boolean; protocol: string; path: string };

const defaultPorts: { [protocol: string]: string } = { 'http:': '80', 'https:': '443' };

/** Null for what is no URL of the web. */
function readUrl(text: string): Address | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port, pathname, search } = new URL(text);
  const usual = defaultPorts[protocol];
  if (usual === undefined || hostname === '') return null;
  return {
    host: plainHost(hostname),
    port: port === '' ? usual : port,
    isDefaultPort: port === '',
    protocol,
    path: pathname + search,
  };
}

const plainHost = (host: string) =>
  host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[|\]$/g, '');

/**
 * Whether a pattern covers a URL. An allow without a port means the usual one of the protocol, a prohibition any.
 * What cannot be read as a URL of the web is covered by no allow, and by a prohibition only as text.
 */
export function matchesUrl(pattern: string, text: string, options: { isProhibition: boolean }): boolean {
  const { isProhibition } = options;
  const url = readUrl(text);
  if (url === null) return isProhibition && matchesText(pattern, text, { hasOne: false });
  if (pattern === '*' || pattern === '**') return true;
  const whole = /^(https?:)\/\/([^/]*)(\/.*)?$/i.exec(pattern);
  if (whole !== null) {
    const [, protocol = '', host = '', path = '/*'] = whole;
    const isSame = protocol.toLowerCase() === url.protocol && matchesHost(host, url, isProhibition);
    return isSame && matchesText(path, url.path, { hasOne: false });
  }
  const range = rangeForm.exec(pattern);
  if (range !== null) return isInRange(url.host, range[1] ?? '', Number(range[2]));
  return matchesHost(pattern, url, isProhibition);
}

const hostForm = /^(\[[^\]]*\]|[^:]*|[0-9a-fA-F:]*:[0-9a-fA-F:]*)(?::([0-9]+|\*))?$/;
const rangeForm = /^\[?([0-9a-fA-F:.]+)\]?\/([0-9]{1,3})$/;

function matchesHost(pattern: string, url: Address, isProhibition: boolean): boolean {
  const [, host = '', port] = hostForm.exec(pattern) ?? [];
  if (port === undefined ? !isProhibition && !url.isDefaultPort : port !== '*' && port !== url.port) return false;
  if (host.startsWith('*.')) {
    const parent = canonicalHost(host.slice(2));
    return parent !== '' && url.host.endsWith(`.${parent}`);
  }
  if (host === '*') return true;
  return canonicalHost(host) === url.host;
}

/** As the URL parser writes it: lower case, punycode, numbers of addresses. */
function canonicalHost(host: string): string {
  const text = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}`;
  return URL.canParse(text) ? plainHost(new URL(text).hostname) : '';
}

function isInRange(host: string, network: string, length: number): boolean {
  const [address, start] = [bitsOf(host), bitsOf(network)];
  if (address === null || start === null) return false;
  // An IPv4 address within IPv6 is the IPv4 address.
  const mapped = `${'0'.repeat(80)}${'1'.repeat(16)}`;
  const [inner, from] = [address, start].map((bits) =>
    bits.length === 128 && bits.startsWith(mapped) ? bits.slice(96) : bits,
  );
  if (inner === undefined || from === undefined || inner.length !== from.length || length > from.length) return false;
  return inner.slice(0, length) === from.slice(0, length);
}

/** 32 or 128 binary digits, or null for what is no address. */
function bitsOf(host: string): string | null {
  const four = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(host);
  if (four !== null) {
    const numbers = four.slice(1).map(Number);
    return numbers.every((number) => number < 256) ? numbers.map((number) => binary(number, 8)).join('') : null;
  }
  const canonical = canonicalHost(host);
  if (!canonical.includes(':')) return null;
  const [head = '', tail] = canonical.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':'));
  const [front, back] = [groups(head), groups(tail ?? '')];
  const missing = tail === undefined ? [] : Array<string>(8 - front.length - back.length).fill('0');
  return [...front, ...missing, ...back].map((group) => binary(Number.parseInt(group, 16), 16)).join('');
}

const binary = (number: number, digits: number) => number.toString(2).padStart(digits, '0');

/** The host of a URL as a pattern covers it, with its port where that is not the usual one; null for no URL. */
export function hostPattern(text: string): string | null {
  const url = readUrl(text);
  if (url === null) return null;
  const host = url.host.includes(':') ? `[${url.host}]` : url.host;
  return url.isDefaultPort ? host : `${host}:${url.port}`;
}

/** A range that is shorter holds too much of the world to have been meant. */
const shortestRange = 8;

/**
 * What is wrong with a pattern in a list of hosts, or null. There it names hosts alone: who passes on what is encrypted
 * sees no protocol and no path. And it names some hosts: all of them are no list.
 */
export function problemOfHost(pattern: string): string | null {
  const [, start, length] = rangeForm.exec(pattern) ?? [];
  if (start !== undefined) {
    const bits = bitsOf(start)?.length ?? 0;
    if (Number(length) > bits) return `"${pattern}" is no range: write it like 10.0.0.0/8 or [fd00::]/8`;
    return Number(length) < shortestRange ? `"${pattern}" holds too many addresses; name fewer` : null;
  }
  if (pattern.includes('/')) return `"${pattern}" names more than a host: leave out https:// and the path`;
  const [, written = '', port] = hostForm.exec(pattern) ?? [];
  const parent = written.startsWith('*.') ? written.slice(2) : null;
  if (written === '*' || (parent !== null && /^[^.]*\.?$/.test(parent)))
    return `"${pattern}" covers too many hosts; name fewer, such as *.example.com`;
  const host = parent ?? written;
  const isHost = !/[\s*?#@\\]/.test(host) && canonicalHost(host) !== '';
  const isPort = port === undefined || port === '*' || (Number(port) > 0 && Number(port) < 65_536);
  return isHost && isPort
    ? null
    : `"${pattern}" is no host: write example.com, *.example.com, example.com:8443, an address or a range`;
}
