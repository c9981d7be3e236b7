/** Which HTTP proxy a request goes through. Model wires and web tools share these rules. */
import { PawlError } from '@pawl/protocol';

/** The environment variables that name a proxy, as most tools read them; lower case wins. */
export type ProxyEnvironment = { readonly [name: string]: string | undefined };

/**
 * The proxy for requests to `target`, or null for none: HTTPS_PROXY for https, HTTP_PROXY for http, ALL_PROXY for both,
 * unless NO_PROXY names the host. HTTP_PROXY in capitals counts too, because no web server runs Pawl as a CGI program.
 * Addresses of this machine are reached directly, as Go and browsers do and curl does not: a server here is nothing that
 * a proxy elsewhere could reach. `<-loopback>` in NO_PROXY, as in Chromium, sends them through the proxy as well.
 * @throws `bad_proxy` for an address that is no HTTP proxy. Source of the rules: https://curl.se/docs/manpage.html#--noproxy.
 * @example proxyFor(new URL('https://example.com'), process.env)
 */
export function proxyFor(target: URL, environment: ProxyEnvironment): URL | null {
  const scheme = target.protocol.slice(0, -1);
  const read = (name: string) => environment[name] || environment[name.toUpperCase()] || undefined;
  const address = read(`${scheme}_proxy`) ?? read('all_proxy');
  const exempt = (read('no_proxy') ?? '').toLowerCase().split(/[\s,]+/);
  if (address === undefined || exempt.some((entry) => covers(entry, target))) return null;
  if (isLoopback(target.hostname) && !exempt.includes('<-loopback>')) return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`);
  if ((url?.protocol === 'http:' || url?.protocol === 'https:') && hasReadableUser(url)) return url;
  throw new PawlError(
    'bad_proxy',
    `${scheme.toUpperCase()}_PROXY names no HTTP proxy: write it like http://host:port, or http://user:password@host:port with % as %25; or unset it.`,
  );
}

/** The value of `Proxy-Authorization` for the user and password in a proxy's address, or null. */
export function proxyCredentials(proxy: URL): string | null {
  if (proxy.username === '') return null;
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** Whether the user and password can be decoded: a percent sign in a password has to be written as `%25`. */
function hasReadableUser({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}${password}`);
    return true;
  } catch {
    return false;
  }
}

/** This machine, as a parsed URL writes it. RFC 6761 §6.3 for the names below `localhost`. */
function isLoopback(hostname: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\]|(.+\.)?localhost\.?)$/i.test(hostname);
}

/** Whether an entry of NO_PROXY names the host of `target`, and its port if the entry has one. */
function covers(entry: string, target: URL): boolean {
  if (entry === '*') return true;
  const [, bracketed, plain = '', port] = /^(?:\[(.*)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? [];
  const targetPort = target.port || (target.protocol === 'https:' ? '443' : '80');
  if (port !== undefined && port !== targetPort) return false;
  const domain = bracketed ?? plain.replace(/^\*?\./, '');
  const host = target.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
}
