/** The way to the network: which providers are asked through a proxy. */

import { type ModelsSettings, providerNames, resolveProvider } from '@pawl/models/select';
import { isPawlError, messageOf } from '@pawl/protocol';
import { proxyFor } from '@pawl/protocol/proxy';
import { isConfigured } from '../models/collect.ts';
import { type Finding, failed, ok } from './finding.ts';

/** One line for each proxy in use, without its password; nothing where none is set. @throws as `resolveProvider`. */
export function checkProxy(settings: ModelsSettings, environment: NodeJS.ProcessEnv): Finding[] {
  const isSet = Object.entries(environment).some(([name, value]) => /^(https?|all)_proxy$/i.test(name) && value);
  if (!isSet) return [];
  try {
    const used = new Map<string, string[]>();
    for (const name of providerNames(settings)) {
      const provider = resolveProvider(name, settings, environment);
      const isAsked = provider !== null && isConfigured(provider, settings);
      const url = isAsked ? URL.parse(provider.baseUrl) : null;
      const proxy = url === null ? null : proxyFor(url, environment);
      if (proxy === null) continue;
      const place = `${proxy.protocol}//${proxy.host}`;
      used.set(place, [...(used.get(place) ?? []), name]);
    }
    if (used.size === 0) return [ok('proxy', 'one is set, and none is used by the providers that are configured')];
    return [...used].map(([place, names]) =>
      ok('proxy', `${names.join(', ')} ${names.length === 1 ? 'goes' : 'go'} through ${place}`),
    );
  } catch (error) {
    if (!isPawlError(error, 'bad_proxy')) throw error;
    return [failed('proxy', messageOf(error))];
  }
}
