/** Which group of people may answer an approval. This never decides whether an approval is needed. */
import { judgeByRules, type Question as RuleQuestion } from '@pawl/policy';
import type { Approvers } from '@pawl/protocol';

/** Groups by name, with the ids of their clients (`*` is any person); and which calls go to which, the first that fits. */
export type ApproverRoutes = {
  groups: { readonly [group: string]: readonly string[] };
  routes: readonly { rule: string; group: string }[];
};

/** Null where everybody is asked. @throws `bad_rule` for a route that cannot be read. */
export function approversOf(
  { groups, routes }: ApproverRoutes,
  question: Omit<RuleQuestion, 'layers' | 'mode' | 'toolAsks'>,
): Approvers | null {
  for (const { rule, group } of routes) {
    const layer = { name: 'approvers', rules: { deny: [], ask: [rule], allow: [] } };
    // A rule that may match counts as a match, so that the experts are asked rather too often than too seldom.
    const { verdict } = judgeByRules({ ...question, layers: [layer], mode: 'auto', toolAsks: false });
    if (verdict === 'ask') return { group, members: [...(groups[group] ?? [])] };
  }
  return null;
}
