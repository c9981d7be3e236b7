import { withFamily } from './family.ts';
import { type CatalogueProvider, catalogue, type Match, type ModelFacts } from './table.ts';

/** Whether `match` is for the model called `name`. */
export function matches(match: Match, name: string): boolean {
  const text = name.toLowerCase();
  if ('equals' in match) return text === match.equals.toLowerCase();
  if ('starts_with' in match) return text.startsWith(match.starts_with.toLowerCase());
  if ('ends_with' in match) return text.endsWith(match.ends_with.toLowerCase());
  if ('contains' in match) return text.includes(match.contains.toLowerCase());
  if ('regex' in match) return new RegExp(match.regex).test(name);
  if ('or' in match) return match.or.some((inner) => matches(inner, name));
  return match.and.every((inner) => matches(inner, name));
}

/** The provider that answers at `url`, or null. */
export function providerAt(url: string): CatalogueProvider | null {
  return catalogue().providers.find((provider) => new RegExp(`^(?:${provider.url})`).test(url)) ?? null;
}

export function providerCalled(id: string): CatalogueProvider | null {
  return catalogue().providers.find((provider) => provider.id === id) ?? null;
}

/** What is known of a model of the provider at `url`; of provider `home` if nobody is known there (a gateway). */
export function findModel(home: string, url: string, name: string): ModelFacts | null {
  const provider = providerAt(url) ?? providerCalled(home);
  return provider === null ? null : findAt(provider, name);
}

/** By its exact name, then without the day in it, then by the patterns; the limits that none has are its family's. */
export function findAt(provider: CatalogueProvider, name: string): ModelFacts | null {
  return withFamily(provider.models, name, listedAt(provider, name));
}

/** The same, without the family. */
function listedAt({ models, patterns }: CatalogueProvider, name: string): ModelFacts | null {
  const wanted = name.toLowerCase().trim();
  const exact = (text: string) => models.find(({ id }) => id.toLowerCase() === text);
  const matching = (text: string) => patterns.find(({ match }) => matches(match, text));
  // A name may carry its day as 20250929 where the table has 2025-09-29, or where it has none.
  const day = /[-@](20\d\d)-?([01]\d)-?([0-3]\d)(?=-|:|$)/;
  const dated = wanted.replace(day, '-$1-$2-$3');
  const undated = wanted.replace(day, '');
  return exact(wanted) ?? exact(dated) ?? exact(undated) ?? matching(wanted) ?? matching(dated) ?? null;
}
