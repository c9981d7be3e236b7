import { PawlError } from '@pawl/protocol';

/** The variables that say which proxy to use, as most tools read them; lower case wins. */
export type ProxyEnvironment = { readonly [name: string]: string | undefined };

/**
 * The proxy for requests to `target`, or null for none: HTTPS_PROXY for https, HTTP_PROXY for http, unless NO_PROXY
 * names the host. Addresses of this machine are asked directly, as Go and browsers do and curl does not: a model server
 * here is nothing that a proxy elsewhere could reach. `<-loopback>` in NO_PROXY, Chromium's word for it, sends them there too.
 * @throws `bad_proxy` for another kind of proxy. Source of the rules: curl's manual, https://curl.se/docs/manpage.html#--noproxy.
 */
export function proxyFor(target: URL, environment: ProxyEnvironment): URL | null {
  const scheme = target.protocol.slice(0, -1);
  const address = read(environment, `${scheme}_proxy`) ?? read(environment, 'all_proxy');
  const list = (read(environment, 'no_proxy') ?? '').toLowerCase().split(/[\s,]+/);
  if (address === undefined || isExempt(target, list)) return null;
  if (isLoopback(target.hostname) && !list.includes('<-loopback>')) return null;
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  const variable = `${scheme.toUpperCase()}_PROXY`;
  throw new PawlError('bad_proxy', `${variable} names no HTTP proxy: write it like http://host:port, or unset it.`);
}

function read(environment: ProxyEnvironment, name: string): string | undefined {
  return environment[name] || environment[name.toUpperCase()] || undefined;
}

/** This machine, as a parsed URL writes it. RFC 6761 §6.3 for the names below `localhost`. */
function isLoopback(hostname: string): boolean {
  return /^(127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\]|(.+\.)?localhost\.?)$/i.test(hostname);
}

function isExempt(target: URL, list: readonly string[]): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return list
    .filter((entry) => entry !== '')
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', entryPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
      if (entryPort !== undefined && entryPort !== port) return name.includes(':') && `${name}:${entryPort}` === host;
      const domain = name.replace(/^\*?\./, '');
      return host === domain || host.endsWith(`.${domain}`);
    });
}

/** The value of `Proxy-Authorization` for the user and password in a proxy's address, or null. */
export function proxyCredentials(proxy: URL): string | null {
  if (proxy.username === '') return null;
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
