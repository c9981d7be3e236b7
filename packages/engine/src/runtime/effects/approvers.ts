/** Which group of people an approval is for. It says who answers, never whether somebody has to. */
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
    // What a rule might be about, it is about: those who know best are rather asked once too often.
    const { verdict } = judgeByRules({ ...question, layers: [layer], mode: 'auto', toolAsks: false });
    if (verdict === 'ask') return { group, members: [...(groups[group] ?? [])] };
  }
  return null;
}
