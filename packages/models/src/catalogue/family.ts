/** What a model that no table knows probably is like: the newest one before it of the same family. */
import type { CatalogueProvider, ModelFacts } from './table.ts';

/** `openai/gpt-6.1-sol` is version 6.1 of `openai/gpt sol`. */
type Name = { maker: string; words: readonly string[]; version: readonly number[] };

type Listed = CatalogueProvider['models'][number];

/**
 * Its own facts, where there are any, with the limits of its family where they have none; null if nothing is known.
 * Prices are never another model's.
 */
export function withFamily(models: readonly Listed[], name: string, own: ModelFacts | null): ModelFacts | null {
  if (own?.context !== undefined && own.output !== undefined) return own;
  const relative = relativeOf(models, name);
  if (relative === null) return own;
  const { id, prices: _prices, ...facts } = relative;
  return { ...facts, ...own, like: id };
}

/** The one that has most words of the name, and of these the highest version that is not above the name's. */
function relativeOf(models: readonly Listed[], name: string): Listed | null {
  const wanted = nameOf(name);
  if (wanted.version.length === 0) return null;
  let best: { model: Listed; shared: number; version: readonly number[] } | null = null;
  for (const model of models) {
    const { maker, words, version } = nameOf(model.id);
    const isRelated = maker === wanted.maker && words[0] === wanted.words[0] && version.length > 0;
    if (!isRelated || compare(version, wanted.version) > 0) continue;
    const both = words.filter((word) => wanted.words.includes(word)).length;
    // A word that only one of them has makes them less alike.
    const shared = 3 * both - words.length;
    const isCloser =
      best === null || shared > best.shared || (shared === best.shared && compare(version, best.version) > 0);
    if (isCloser) best = { model, shared, version };
  }
  return best?.model ?? null;
}

function nameOf(text: string): Name {
  const lower = text.toLowerCase();
  const slash = lower.lastIndexOf('/') + 1;
  const parts = lower.slice(slash).split(/[-@:_]/);
  const words: string[] = [];
  let version: readonly number[] = [];
  for (const part of parts) {
    const [, letters = '', numbers] = /^([a-z]*)(\d{1,2}(?:\.\d{1,2})*)$/.exec(part) ?? [];
    if (numbers !== undefined) version = [...version, ...numbers.split('.').map(Number)];
    const word = numbers === undefined ? part : letters;
    // A day is neither a word nor a version.
    if (word !== '' && !/^\d+$/.test(word)) words.push(word);
  }
  return { maker: lower.slice(0, slash), words, version: version.slice(0, 2) };
}

function compare(one: readonly number[], other: readonly number[]): number {
  return (one[0] ?? 0) - (other[0] ?? 0) || (one[1] ?? 0) - (other[1] ?? 0);
}
