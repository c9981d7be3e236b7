/** Which proxy a request goes through, as the environment says. */
import { PawlError } from './errors.ts';

/** The variables that name proxies, as most programs read them; lower case wins. */
export type ProxyEnvironment = { readonly [name: string]: string | undefined };

/**
 * The proxy for requests to `target`, or null for none: HTTPS_PROXY for https, HTTP_PROXY for http, ALL_PROXY for both,
 * unless NO_PROXY names the host. HTTP_PROXY in capitals counts too, because no web server runs Pawl as a CGI program.
 * Addresses of this machine are reached directly, as Go and browsers do and curl does not: a proxy elsewhere cannot reach
 * them. `<-loopback>` in NO_PROXY, Chromium's word for it, sends them to the proxy too.
 * @throws `bad_proxy` for another kind of proxy. Source of the rules: https://curl.se/docs/manpage.html#--noproxy.
 */
export function proxyFor(target: URL, environment: ProxyEnvironment): URL | null {
  const scheme = target.protocol.slice(0, -1);
  const read = (name: string) => environment[name] || environment[name.toUpperCase()] || undefined;
  const address = read(`${scheme}_proxy`) ?? read('all_proxy');
  const exempt = (read('no_proxy') ?? '').toLowerCase().split(/[\s,]+/);
  if (address === undefined || isExempt(target, exempt)) return null;
  if (isLoopback(target.hostname) && !exempt.includes('<-loopback>')) return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`);
  if ((url?.protocol === 'http:' || url?.protocol === 'https:') && hasReadableUser(url)) return url;
  throw new PawlError(
    'bad_proxy',
    `${scheme.toUpperCase()}_PROXY names no HTTP proxy: write it like http://host:port, or http://user:password@host:port with % as %25, or unset it.`,
  );
}

/** The header that carries the user and password of a proxy's address, if there are any. */
export function proxyHeaders(proxy: URL): { 'proxy-authorization'?: string } {
  if (proxy.username === '') return {};
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** The host as a resolver or a socket takes it: without brackets or the root's dot. */
export const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

export const portOf = (url: URL) => (url.port !== '' ? Number(url.port) : url.protocol === 'https:' ? 443 : 80);

/** A percent sign in a password has to be written as `%25`. */
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

/** Entries are `*`, a domain with all below it, or an address, each with a port or without. */
function isExempt(target: URL, entries: readonly string[]): boolean {
  const host = hostOf(target).toLowerCase();
  return entries.some((entry) => {
    if (entry === '*') return true;
    const [, bracketed, plain = '', port] = /^(?:\[(.*)\]|([^:]*|.*:.*:.*?))(?::(\d+))?$/.exec(entry) ?? [];
    if (port !== undefined && Number(port) !== portOf(target)) return false;
    const domain = bracketed ?? plain.replace(/^\*?\./, '');
    return domain !== '' && (host === domain || host.endsWith(`.${domain}`));
  });
}
