/** What is owed to the calls of a step: their judging, their running, and the end of a wait for a person. */
import type { Effect } from '../effect.ts';
import type { Call, Turn } from '../state.ts';
import { isStopping } from '../turn/ending.ts';
import { isClear } from './conflicts.ts';
import { approvalTimer, questionTimer } from './timers.ts';

export function owedToCalls(turn: Turn): Effect[] {
  if (turn.phase !== 'tools') return [];
  const effects: Effect[] = [];
  // A turn that is ending begins nothing new.
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

/** The round is part of it: what a call did before it was judged again is no outcome of what it does after. */
const toolEffectId = ({ id, round }: Call) => `tool:${id}:${round}`;
