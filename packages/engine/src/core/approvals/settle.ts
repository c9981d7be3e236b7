/** Asking a person for the approval of a call: the request with its deadline, its expiry, and a refusal where nobody is there. */
import type { EventBody } from '@pawl/protocol';
import { originOf } from '../session/origin.ts';
import type { Call, State } from '../state.ts';

export function settleApproval(state: State, call: Call): EventBody[] {
  if (call.approval?.isExpired === true) {
    return [{ type: 'approval.resolved', data: { call: call.id, decision: 'timeout' } }];
  }
  if (!state.settings.isAttended) return [...withdrawApproval(call), refuseUnattended(call)];
  return call.approval === null ? [requestApproval(state, call)] : [];
}

/** Takes an open request back from those who were asked. */
export function withdrawApproval(call: Call): EventBody[] {
  if (call.approval === null || call.status !== 'asking') return [];
  return [{ type: 'approval.resolved', data: { call: call.id, decision: 'cancelled' } }];
}

function requestApproval(state: State, call: Call): EventBody {
  const { approvalTimeoutMs } = state.settings.limits;
  const { judgement } = call;
  return {
    type: 'approval.requested',
    data: {
      call: call.id,
      tool: call.tool,
      input: call.input,
      rule: judgement?.rule ?? '',
      ...(judgement?.reason !== undefined && { reason: judgement.reason }),
      suggestions: judgement?.suggestions ?? [],
      expiresAt: approvalTimeoutMs === 0 ? null : state.now + approvalTimeoutMs,
      ...(judgement?.preview !== undefined && { preview: judgement.preview }),
      ...(judgement?.parts !== undefined && { parts: judgement.parts }),
      ...(judgement?.approvers !== undefined && { approvers: judgement.approvers }),
      ...originOf(state.settings),
    },
  };
}

function refuseUnattended(call: Call): EventBody {
  const { rule = '', reason, parts = [] } = call.judgement ?? {};
  const asking = parts.filter(({ verdict }) => verdict === 'ask').map(({ text }) => text);
  const content = [
    `Not run: this needs an approval ("${rule}") and nobody is there to give it.`,
    ...(reason === undefined ? [] : [reason]),
    ...(asking.length === 0 ? [] : [`These parts of it need one: ${asking.join('; ')}.`]),
    'Go on without it.',
  ].join(' ');
  return { type: 'tool.finished', data: { call: call.id, status: 'denied', content, isUnattended: true } };
}
