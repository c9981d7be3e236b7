/**
 * Which events record the outcome of an effect? An outcome counts once, and only while its effect is owed. A second, late
 * or foreign outcome is refused; the runtime drops it and counts it.
 */
import { decideAnswer, decideFailure } from './answer/decide.ts';
import { decideJudgement, decideToolResult } from './calls/decide.ts';
import { decideSummary } from './compaction/decide.ts';
import type { Decision } from './decision.ts';
import { accept, refuse } from './decision.ts';
import { due } from './due.ts';
import { decideUndelivered } from './mail/decide.ts';
import type { Outcome } from './outcome.ts';
import type { State } from './state.ts';

export function decideOutcome(state: State, outcome: Outcome): Decision {
  if (outcome.type === 'session.opened') return accept({ type: 'session.opened', data: outcome.data });
  if (!due(state).some(({ id }) => id === outcome.effect)) {
    return refuse('late_outcome', 'Nobody waits for this outcome any more; it was dropped.');
  }
  switch (outcome.type) {
    case 'timer.fired':
      return accept({ type: 'timer.fired', data: { timer: outcome.effect } });
    case 'model.finished':
      return decideAnswer(state, outcome);
    case 'model.failed':
      return decideFailure(state, outcome);
    case 'tool.judged':
      return decideJudgement(state, outcome.judgement);
    case 'tool.finished':
      return decideToolResult(state, outcome);
    case 'loop.verified': {
      const { type, effect: _, ...data } = outcome;
      const { number = 0, loop = null } = state.turn ?? {};
      return accept({ type, data: { turn: number, iteration: loop?.iteration ?? 0, ...data } });
    }
    case 'compaction.summarised':
    case 'compaction.failed':
      return decideSummary(state, outcome);
    case 'mail.delivered':
      return accept({ type: 'mail.delivered', data: { mail: outcome.mail } });
    case 'mail.undelivered':
      return decideUndelivered(state, outcome);
    case 'tool.outdated':
      return accept({ type: 'tool.outdated', data: outcome.data });
    case 'context.gathered':
      return accept({ type: 'context.gathered', data: outcome.data });
    case 'task.changed':
      return accept({ type: 'task.changed', data: outcome.data });
    case 'task.ended':
      return accept({ type: 'task.ended', data: outcome.data });
    case 'task.delivered':
      return accept({ type: 'task.delivered', data: outcome.data });
    default:
      return outcome satisfies never;
  }
}
