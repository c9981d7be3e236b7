/** Effects for the calls of a step: judging, running, and the deadlines of approvals and questions. */
import type { Effect } from '../effect.ts';
import type { Call, Turn } from '../state.ts';
import { isStopping } from '../turn/ending.ts';
import { isClear } from './conflicts.ts';
import { approvalTimer, questionTimer } from './state.ts';

export function owedToCalls(turn: Turn): Effect[] {
  if (turn.phase !== 'tools') return [];
  const effects: Effect[] = [];
  // A turn that is ending starts nothing new.
  const isClosing = isStopping(turn) || turn.ending !== null;
  for (const call of turn.calls) {
    if (call.status === 'running') {
      const mode = isStopping(turn) ? 'stop' : call.isInterrupted ? 'recover' : 'run';
      effects.push({ kind: 'tool', id: toolEffectId(call), call: call.id, mode });
    } else if (isClosing) {
    } else if (call.status === 'proposed' || (call.status === 'deferred' && isClear(turn, call))) {
      effects.push({ kind: 'judge', id: `judge:${call.id}:${call.round}`, call: call.id });
    } else if (call.approval !== null && call.approval.expiresAt !== null && !call.approval.isExpired) {
      const { round, expiresAt } = call.approval;
      effects.push({ kind: 'timer', id: approvalTimer(call, round), at: expiresAt });
    } else if (call.status === 'questioned' && call.questions?.expiresAt != null && !call.questions.isExpired) {
      const { round, expiresAt } = call.questions;
      effects.push({ kind: 'timer', id: questionTimer(call, round), at: expiresAt });
    }
  }
  return effects;
}

/** Includes the round: an outcome from before the call was judged again does not count for the run after it. */
const toolEffectId = ({ id, round }: Call) => `tool:${id}:${round}`;
