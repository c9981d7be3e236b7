/**
 * What may differ between a recorded request and its replay: all of it is declared here, and nothing else is ignored. A
 * date, how long something took, what is left of a budget, an id, and the folders in which a run works.
 */

/** Folders by what they are, such as `{ folder: '/home/ann/work' }`. */
export type Places = { readonly [name: string]: string };

/** Fields of a request that say who asks and for which session. */
const volatileFields: ReadonlySet<string> = new Set(['metadata', 'prompt_cache_key', 'safety_identifier', 'user']);

export const isVolatileField = (name: string): boolean => volatileFields.has(name);

const day = '(?:Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day';
const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*';

/** In their order: what an earlier one has replaced, a later one no longer sees. */
const volatileTexts: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '[id]'],
  // Sessions and inputs: a time and chance, in 22 letters and digits.
  [/\b0[0-9a-hjkmnp-tv-z]{21}\b/g, '[id]'],
  [/\b(pid|process) \d+\b/gi, '$1 [id]'],
  [/\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:Z|[+-]\d{2}:?\d{2}))?)?/g, '[date]'],
  [new RegExp(`\\b${month} {1,2}\\d{1,2}(?:,? \\d{4})?\\b`, 'g'), '[date]'],
  [new RegExp(`\\b${day}, \\[date\\]`, 'g'), '[date]'],
  // Not a place in a file, such as a.ts:12:34.
  [/(?<![\w:.])\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\b/g, '[time]'],
  [/\b\d+(?:\.\d+)? ?(?:ms|s|min|h|seconds?|minutes?|hours?)\b(?: \d+ ?(?:s|min|seconds?|minutes?)\b)?/g, '[time]'],
  [/\$\d+(?:\.\d+)?/g, '[dollars]'],
  [/\b\d+(?:[ ,.]\d{3})*(?:\.\d+)?[kM]? tokens\b/g, '[tokens]'],
];

/** A text without what may differ. */
export function withoutVolatile(text: string, places: Places): string {
  let plain = text;
  const folders = Object.entries(places).sort(([, one], [, other]) => other.length - one.length);
  for (const [name, path] of folders) if (path.length > 1) plain = plain.replaceAll(path, `[${name}]`);
  for (const [pattern, name] of volatileTexts) plain = plain.replace(pattern, name);
  return plain;
}
