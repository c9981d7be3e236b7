import type { Judgement } from '@pawl/protocol';
import type { Decision } from '../decision.ts';
import { accept } from '../decision.ts';
import type { State } from '../state.ts';
import { blockers } from './conflicts.ts';
import { findCall } from './evolve.ts';

/**
 * A change is judged against what the calls before it left, so one that touches what an earlier call
 * may still change waits for that call and is judged anew. Reads and refusals need not wait.
 */
export function decideJudgement(state: State, judgement: Judgement): Decision {
  const call = findCall(state, judgement.call);
  if (state.turn === null || call === undefined) return accept();
  const behind =
    judgement.effect === 'read' || judgement.verdict === 'deny' ? [] : blockers(state.turn.calls, call, judgement);
  if (behind.length === 0) return accept({ type: 'tool.judged', data: judgement });
  const { effect, paths } = judgement;
  const data = { call: call.id, behind: behind.map((other) => other.id), effect, paths };
  return accept({ type: 'tool.deferred', data });
}
