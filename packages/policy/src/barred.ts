/** What a search over a folder may not show, though the folder itself may be searched. */
import { bindsSearch, ofProhibition, type RuleLayer } from './claims.ts';
import { matchesPath, type PathBase, pathMatcher } from './paths.ts';
import { parseRule } from './rules.ts';

/**
 * Tells of a canonical path below `folder` whether some deny or ask keeps it from being read. A rule that covers the
 * folder itself was answered when the search was judged, and does not count any more. Null where no rule is left. It is
 * asked for each of a hundred thousand files, so the rules are read beforehand.
 * @throws `bad_rule`.
 */
export function barredIn(
  folder: string,
  { layers, ...base }: PathBase & { layers: readonly RuleLayer[] },
): ((path: string) => boolean) | null {
  const patterns = layers
    .flatMap(({ rules: { deny, ask } }) => [...deny, ...ask])
    .map(parseRule)
    .flatMap((rule) => (rule.pattern !== null && bindsSearch(rule) ? [rule.pattern] : []))
    .filter((pattern) => !matchesPath(pattern, folder, base, ofProhibition));
  return patterns.length === 0 ? null : pathMatcher(patterns, base, ofProhibition);
}
