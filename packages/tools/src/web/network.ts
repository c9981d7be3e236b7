import { networkInterfaces } from 'node:os';
import { PawlError } from '@pawl/protocol';
import { hostOf } from '@pawl/protocol/proxy';
import { closedFor, forbidden, isAddress } from './target.ts';

/** What lies outside, as `web_fetch` sees it. Only tests give another than `publicNetwork`. */
export type Network = {
  /** All addresses of a name. */
  resolve(host: string): Promise<readonly string[]>;
  /** Addresses that may be reached although they are not public. */
  permits(address: string): boolean;
  /** Unix milliseconds. */
  now(): number;
};

export const publicNetwork: Network = {
  async resolve(host) {
    const { lookup } = await import('node:dns/promises');
    return (await lookup(host, { all: true })).map(({ address }) => address);
  },
  permits: () => false,
  now: () => Date.now(),
};

/**
 * The addresses of a host, each of them public. One that is not spoils them all: a name that leads inside as well as
 * outside is no name to trust. The connection is made to these and to nothing that the name may mean a moment later.
 * @throws `dns_failed`, `forbidden_address`.
 */
export async function openAddresses(url: URL, network: Network): Promise<readonly string[]> {
  const host = hostOf(url);
  let addresses: readonly string[];
  try {
    addresses = isAddress(url) ? [host] : await network.resolve(host);
  } catch (cause) {
    throw new PawlError('dns_failed', `The name ${host} was not found. Check its spelling.`, { cause });
  }
  if (addresses.length === 0) throw new PawlError('dns_failed', `The name ${host} has no address.`);
  const own = ownAddresses();
  for (const address of addresses) {
    const closed =
      closedFor(address, network) ?? (own.has(address) && !network.permits(address) ? 'this machine' : null);
    if (closed !== null) throw forbidden(host, `${address}: ${closed}`);
  }
  return addresses;
}

/** A machine with a public address serves there what it serves nobody else. */
function ownAddresses(): ReadonlySet<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)));
}
