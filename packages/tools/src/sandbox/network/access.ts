/** Which hosts commands reach: in the words of `web_fetch(…)` rules, and read by the same reader. */
import { hostPattern, matchesUrl } from '@pawl/policy';
import { portOf } from '@pawl/protocol/proxy';

/** The hosts that commands reach. */
export type HostList = {
  /** Those that the user names; `any` where the user lets commands out and only a project narrows that. */
  hosts: readonly string[] | 'any';
  /** What of them a project leaves; null is all. */
  within: readonly string[] | null;
};

export type NetworkAccess = 'off' | 'on' | HostList;

/** Whether commands reach hosts that the user has not named. What they read could then go anywhere. */
export const reachesAnyHost = (network: NetworkAccess) =>
  network === 'on' || (network !== 'off' && network.hosts === 'any');

const covers = (patterns: readonly string[], url: URL) =>
  patterns.some((pattern) => matchesUrl(pattern, url.href, { isProhibition: false }));

/** Whose list a URL's host is missing from, in words; null where it may be reached. */
export function missingFrom({ hosts, within }: HostList, url: URL): string | null {
  if (hosts !== 'any' && !covers(hosts, url)) return 'the settings';
  return within === null || covers(within, url) ? null : 'the project’s settings';
}

/** Where clouds keep what a machine may do. That a name leads there is never what was meant by naming it. */
const neverByName = [
  '169.254.0.0/16',
  'fe80::/10',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
  'fd00:ec2::/32',
  'fd20:ce::254/128',
  // Those above as a network that only knows IPv6 writes them (RFC 6052).
  '64:ff9b::a9fe:0/112',
  '64:ff9b::a83f:8110/128',
  '64:ff9b::6464:64c8/128',
] as const;

/**
 * Whether a host's address may be reached although it is not public: the list names it, or the very host, which a `*`
 * does not.
 */
export function permits({ hosts, within }: HostList, url: URL, address: string): boolean {
  const named = hosts === 'any' ? (within ?? []) : hosts;
  const direct = URL.parse(`${url.protocol}//${address.includes(':') ? `[${address}]` : address}:${portOf(url)}/`);
  if (direct === null) return false;
  if (covers(named, direct)) return true;
  return (
    covers(
      named.filter((pattern) => !pattern.startsWith('*')),
      url,
    ) && !covers(neverByName, direct)
  );
}

/** Where a CONNECT leads; null for what is no host and port. The port says which protocol a pattern without one means. */
export function tunnelTarget(text: string): URL | null {
  if (!/^(?:\[[0-9a-f:.]{2,45}\]|[^\s/?#@:\\[\]]{1,253}):[0-9]{1,5}$/i.test(text)) return null;
  const url = URL.parse(`${text.endsWith(':80') ? 'http' : 'https'}://${text}/`);
  return url === null || url.port === '0' ? null : url;
}

/** Where a plain request leads; null for what no proxy is asked for. */
export function plainTarget(text: string): URL | null {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' || url.username !== '' || url.password !== '' || url.port === '0') return null;
  url.hash = '';
  return url;
}

/** `evil.com:443` */
export const placeOf = (url: URL) => `${url.hostname}:${portOf(url)}`;

/** What a list has to hold so that it covers a URL. */
export const patternFor = (url: URL) => hostPattern(url.href) ?? url.host;

const mostShown = 12;

/** A list for people and models. */
export function hostsText({ hosts, within }: HostList): string {
  if (hosts === 'any') return listText(within ?? []);
  return within === null ? listText(hosts) : `${listText(hosts)} (of these only: ${listText(within)})`;
}

function listText(patterns: readonly string[]): string {
  const more = patterns.length - mostShown;
  return [...patterns.slice(0, mostShown), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
