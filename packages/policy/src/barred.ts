/** What a search over a folder may not show, though the folder itself may be searched. */
import { claimsOf, isPathRule, type RuleLayer } from './claims.ts';
import type { PathBase } from './paths.ts';
import { parseRule } from './rules.ts';

/**
 * Tells of a canonical path below `folder` whether some deny or ask keeps it from being read. A rule that covers the
 * folder itself was answered when the search was judged, and does not count any more. Null where no rule is left.
 * @throws `bad_rule`.
 */
export function barredIn(
  folder: string,
  { layers, ...base }: PathBase & { layers: readonly RuleLayer[] },
): ((path: string) => boolean) | null {
  const claimOf = (path: string) =>
    claimsOf({
      ...base,
      layers: [],
      tool: 'grep',
      subjects: [{ kind: 'path', value: path }],
      mode: 'manual',
      effect: 'read',
      toolAsks: false,
    });
  const finds = (path: string, rule: ReturnType<typeof parseRule>) =>
    claimOf(path).some((claim) => claim.finds(rule) === 'yes');
  const rules = layers
    .flatMap(({ rules: { deny, ask } }) => [...deny, ...ask])
    .map(parseRule)
    .filter((rule) => isPathRule(rule) && !finds(folder, rule));
  return rules.length === 0 ? null : (path) => rules.some((rule) => finds(path, rule));
}
