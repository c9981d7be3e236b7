import type { ProxyEnvironment } from '@pawl/protocol/proxy';
import { connectionTo } from '../http/connection.ts';
import { getJson } from '../http/get.ts';
import { type Credit, creditIn } from '../pool/credit.ts';
import type { Key } from '../pool/types.ts';
import type { ResolvedProvider } from './resolve.ts';

/**
 * Asks a provider what is left of the account of a key. Null where it has no place to ask, or does not say.
 * @throws the typed errors of a model's call.
 */
export async function askCredit(
  { baseUrl, credit, headers }: ResolvedProvider,
  key: Key,
  { environment, signal }: { environment: ProxyEnvironment; signal: AbortSignal },
): Promise<Credit | null> {
  if (credit === undefined) return null;
  const url = new URL(`${baseUrl.replace(/\/$/, '')}${credit.path}`);
  const all = { accept: 'application/json', authorization: `Bearer ${key.secret}`, ...headers };
  return creditIn(await getJson(connectionTo(url, environment), all, signal), credit, Date.now());
}
