import { PawlError } from '@pawl/protocol';
import { proxyFor } from '@pawl/protocol/proxy';
import type { Route } from './exchange.ts';
import { type Network, openAddresses } from './network.ts';

/** How long a name is looked up when a proxy will look it up again anyway, ms. */
const courtesyLookupMs = 2000;

/**
 * How to get to a URL's host, if one may: straight to addresses that were checked, or through the environment's proxy.
 * @throws `dns_failed`, `forbidden_address`, `bad_proxy`.
 */
export async function routeTo(
  url: URL,
  environment: Readonly<Record<string, string | undefined>>,
  network: Network,
): Promise<Route> {
  const proxy = proxyFor(url, environment);
  if (proxy === null) return { addresses: await openAddresses(url, network) };
  // The proxy decides where the name leads. What can be told beforehand is told; no answer here is no refusal.
  const late = new Promise<null>((resolve) => setTimeout(resolve, courtesyLookupMs, null).unref());
  const asked = openAddresses(url, network).catch((error: unknown) => {
    if (error instanceof PawlError && error.code === 'dns_failed') return null;
    throw error;
  });
  await Promise.race([asked, late]);
  return { proxy };
}
