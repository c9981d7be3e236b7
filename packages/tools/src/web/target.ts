import { PawlError } from '@pawl/protocol';
import { hostOf, portOf } from '@pawl/protocol/proxy';
import { escapeInvisible } from '../escape.ts';
import { closedAddress } from './addresses.ts';

const longestUrl = 8192;

/** Names that lead to this machine or its network, whatever they resolve to. Every name below them too. */
const closedNames = ['localhost', 'localdomain', 'local', 'internal', 'intranet', 'lan', 'home', 'corp', 'home.arpa'];

/** What decides before any name is looked up. */
export type TargetRules = {
  /** Ports that may be asked; `any` for all. */
  ports: readonly number[] | 'any';
  /** Addresses that may be reached although they are not public. */
  permits(address: string): boolean;
};

/**
 * The URL that a text means, if one may go there as far as the text tells. The URL parser reads every spelling of an
 * address (`0x7f.1`, `2130706433`, full-width digits) as the address itself, so what is checked is what is asked.
 * @throws `bad_url`, `forbidden_address`.
 */
export function targetOf(text: string, rules: TargetRules, base?: URL): URL {
  const shown = JSON.stringify(escapeInvisible(text.slice(0, 200)));
  if (text.length > longestUrl) throw new PawlError('bad_url', `The URL is longer than ${longestUrl} characters.`);
  const url = URL.parse(text, base?.href);
  if (url === null) throw new PawlError('bad_url', `${shown} is not a URL. Give a whole one, with https://.`);
  url.hash = '';
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new PawlError('bad_url', `Only http and https can be fetched, not ${url.protocol} URLs.`);
  if (url.username !== '' || url.password !== '')
    throw new PawlError('bad_url', 'The URL holds a user name or password. Give it without.');
  const host = hostOf(url);
  if (host === '') throw new PawlError('bad_url', `${shown} names no host.`);
  const port = portOf(url);
  if (rules.ports !== 'any' && !rules.ports.includes(port))
    throw new PawlError(
      'forbidden_address',
      `Port ${port} is not fetched from; only ${rules.ports.join(' and ')} are.`,
    );
  const closed = isAddress(url) ? closedFor(host, rules) : closedName(host);
  if (closed !== null) throw forbidden(host, closed);
  return url;
}

/** Whether the host is an address and no name. */
export const isAddress = (url: URL) => /^\[|^\d+\.\d+\.\d+\.\d+\.?$/.test(url.hostname);

export const closedFor = (address: string, rules: Pick<TargetRules, 'permits'>) =>
  rules.permits(address) ? null : closedAddress(address);

export function forbidden(host: string, what: string): PawlError {
  return new PawlError(
    'forbidden_address',
    `${host} is not on the public Internet (${what}), and nothing else is reached from here.`,
  );
}

function closedName(host: string): string | null {
  const name = host.toLowerCase();
  if (closedNames.some((closed) => name === closed || name.endsWith(`.${closed}`))) return 'a local name';
  return name.includes('.') ? null : 'a name without a domain';
}
