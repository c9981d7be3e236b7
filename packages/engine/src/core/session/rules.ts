/** The permission rules of a session: who may change them, and which are valid. */
import { parseRule } from '@pawl/policy';
import { messageOf } from '@pawl/protocol';
import type { Decision, FingerprintedCommand } from '../decision.ts';
import { accept, refuse } from '../decision.ts';
import type { State } from '../state.ts';
import { isOwner } from '../tasks/decide.ts';

export function decideRule(
  state: State,
  command: FingerprintedCommand & { type: 'rule.add' | 'rule.remove' },
): Decision {
  const { list, rule } = command.data;
  const isSet = state.settings.rules[list]?.includes(rule) === true;
  if (command.type === 'rule.remove') {
    if (command.by.kind !== 'human') return refuse('human_only', 'Only a person can change the rules.');
    return isSet
      ? accept({ type: 'rule.removed', data: command.data })
      : refuse('no_rule', `There is no session rule "${rule}" in ${list}.`);
  }
  const isOwners = isOwner(state, command);
  if (command.by.kind !== 'human' && (!isOwners || list === 'allow')) {
    return refuse('human_only', 'Only a person can change the rules.');
  }
  const refusal = ruleRefusal(command.data);
  if (refusal !== null) return refusal;
  // An owner may send the same rule more than once.
  return isOwners && isSet ? accept() : accept({ type: 'rule.added', data: command.data });
}

/** A rule that cannot be parsed would refuse every call. */
export function ruleRefusal({ list, rule }: { list: string; rule: string }): Decision | null {
  if (!['deny', 'ask', 'allow'].includes(list)) return refuse('bad_rule', `There is no list "${list}" of rules.`);
  try {
    parseRule(rule);
    return null;
  } catch (error) {
    return refuse('bad_rule', messageOf(error));
  }
}
