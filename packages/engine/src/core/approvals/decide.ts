/** Who may answer an approval, and which answers count. */
import type { EventBody, JsonObject } from '@pawl/protocol';
import { mayAnswer } from '@pawl/protocol';
import { findCall } from '../calls/evolve.ts';
import type { Decision, FingerprintedCommand } from '../decision.ts';
import { accept, refuse } from '../decision.ts';
import { isSameJson } from '../same-json.ts';
import { ruleRefusal } from '../session/rules.ts';
import type { Call, State } from '../state.ts';
import { summariseEdit } from './edits.ts';

export function decideApproval(state: State, command: FingerprintedCommand & { type: 'approval.resolve' }): Decision {
  if (command.by.kind !== 'human') return refuse('human_only', 'Only a person can answer an approval.');
  const call = findCall(state, command.data.call);
  if (call === undefined) return refuse('no_approval', `Call ${command.data.call} is not waiting for an approval.`);
  if (call.answer !== null) {
    const { decision, by } = call.answer;
    return refuse('already_answered', `Call ${call.id} was answered already: ${decision}, by ${by.id}.`);
  }
  if (call.approval === null || call.status !== 'asking' || call.approval.isExpired || state.turn?.cancel != null) {
    return refuse('no_approval', `Call ${call.id} is not waiting for an approval.`);
  }
  const approvers = call.judgement?.approvers;
  if (!mayAnswer(command.by, approvers)) {
    return refuse(
      'not_an_approver',
      `This approval is for the group ${approvers?.group}; ${command.by.id} is not in it.`,
    );
  }
  const { decision, reason, input, rules } = command.data;
  const bad = (rules ?? []).map(ruleRefusal).find((refusal) => refusal !== null);
  if (bad !== undefined) return bad;
  const added = (rules ?? []).map((data): EventBody => ({ type: 'rule.added', data }));
  return accept(...added, {
    type: 'approval.resolved',
    data: {
      call: call.id,
      decision,
      ...(reason !== undefined && { reason }),
      ...(input !== undefined && { input, ...editOf(call, input) }),
    },
  });
}

function editOf({ input: original }: Call, input: JsonObject) {
  const isSame = isSameJson(original, input);
  return isSame ? {} : { edit: { original, summary: summariseEdit(original, input) } };
}
