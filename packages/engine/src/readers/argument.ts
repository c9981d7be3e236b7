import type { JsonObject } from '@pawl/protocol';

/** What a call is mainly about, in the order of preference. */
const mainKeys = ['command', 'path', 'pattern', 'url', 'query', 'name'];

/** The one argument that tells a call from others, as one would say it: a command, a path, a pattern and its folder. */
export function mainArgument(input: JsonObject): string {
  const { pattern, path } = input;
  if (typeof pattern === 'string') return typeof path === 'string' ? `${pattern} in ${path}` : pattern;
  const key = mainKeys.find((name) => typeof input[name] === 'string');
  const value = key === undefined ? Object.values(input).find((entry) => typeof entry === 'string') : input[key];
  if (typeof value === 'string') return value;
  const text = JSON.stringify(input);
  return text === '{}' ? '' : text;
}
