import type { JsonObject } from '@pawl/protocol';

/** What a call is mainly about, in the order of preference. */
const mainKeys = ['command', 'path', 'pattern', 'url', 'query', 'name'];

/** The one argument that tells a call from others, as one would say it: a command, a path, a pattern and its folder. */
export function mainArgument(input: JsonObject): string {
  const { pattern, path, patch } = input;
  if (typeof patch === 'string') return filesOf(patch) ?? patch;
  if (typeof pattern === 'string') return typeof path === 'string' ? `${pattern} in ${path}` : pattern;
  const key = mainKeys.find((name) => typeof input[name] === 'string');
  const value = key === undefined ? Object.values(input).find((entry) => typeof entry === 'string') : input[key];
  if (typeof value === 'string') return value;
  const text = JSON.stringify(input);
  return text === '{}' ? '' : text;
}

/** The files that a patch names, in its order; null if it names none. */
function filesOf(patch: string): string | null {
  const named = patch.split(/\r?\n/).flatMap((line) => {
    const [, own] = /^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+)$/.exec(line) ?? [];
    const [, unified] = /^(?:---|\+\+\+) (?:[ab]\/)?([^\t]+)/.exec(line) ?? [];
    const name = (own ?? unified)?.trim();
    return name === undefined || name === '/dev/null' ? [] : [name];
  });
  return named.length === 0 ? null : [...new Set(named)].join(', ');
}
