/** Which effects are owed to the outside world? Ids follow from the log, so a debt is the same after a crash, on any machine. */
import { isClear } from './calls/conflicts.ts';
import { approvalTimer, questionTimer } from './calls/timers.ts';
import { mailTimer } from './mail/evolve.ts';
import type { Call, State, Turn } from './state.ts';
import { gatherEffect, owesGathering } from './surroundings/settle.ts';
import type { Loop } from './target/state.ts';
import { owedToTasks } from './tasks/due.ts';
import { turnTimer } from './turn/evolve.ts';

export type Effect =
  /** Call the model; or stop that call, and say what there is of the answer. */
  | { kind: 'model'; id: string; mode: 'run' | 'stop' }
  /** Look at what surrounds the work, for this turn and agent. */
  | { kind: 'gather'; id: string }
  /** May this call run, and what would it do? */
  | { kind: 'judge'; id: string; call: string }
  /** Run the call, whose intent is in the log; or find out what became of it, if the driver that ran it is gone; or stop it. */
  | { kind: 'tool'; id: string; call: string; mode: 'run' | 'recover' | 'stop' }
  /** Run the person's check of a turn that works toward a target. */
  | { kind: 'verify'; id: string }
  /** Hand a mail to the session that it is for. */
  | { kind: 'deliver'; id: string; mail: string }
  /** Summarise the history, up to the message that the compaction names. */
  | { kind: 'compact'; id: string; compaction: number }
  /** See that a task's session is there, works, and tells how it ended; or stop it, and say how far it came. */
  | { kind: 'task'; id: string; task: string; mode: 'run' | 'stop' }
  /** Hand this to a task's session. */
  | { kind: 'letter'; id: string; task: string; letter: string }
  /** Ring at this time, Unix ms. */
  | { kind: 'timer'; id: string; at: number };

export function due(state: State): Effect[] {
  const { turn } = state;
  const effects: Effect[] = [...owedToTasks(state), ...owedToMail(state), ...owedToCompaction(state)];
  if (turn === null) return effects;
  const isStopping = turn.cancel !== null || turn.isOverTime;
  if (turn.phase === 'model') {
    const id = `model:t${turn.number}_s${turn.step}_a${turn.attempt}`;
    effects.push({ kind: 'model', id, mode: isStopping ? 'stop' : 'run' });
  }
  if (owesGathering(state, turn)) effects.push({ kind: 'gather', id: gatherEffect(state, turn) });
  if (turn.phase === 'tools') effects.push(...owedToCalls(turn, isStopping));
  const { loop } = turn;
  if (turn.phase === 'between' && !isStopping && turn.ending === null && loop !== null && isVerifying(loop)) {
    effects.push({ kind: 'verify', id: `verify:t${turn.number}_i${loop.iteration}` });
  }
  const { durationMs } = state.settings.limits;
  if (durationMs !== null && !isStopping) {
    effects.push({ kind: 'timer', id: turnTimer(turn.number, durationMs), at: turn.startedAt + durationMs });
  }
  return effects;
}

const isVerifying = ({ status, proposed, isAssessed }: Loop) =>
  status === 'verifying' && proposed !== null && !isAssessed;

function owedToMail({ mail: { outbox } }: State): Effect[] {
  return outbox.map(({ mail, attempts, retryAt }) =>
    retryAt === null
      ? { kind: 'deliver', id: `deliver:${mail}`, mail }
      : { kind: 'timer', id: mailTimer(mail, attempts), at: retryAt },
  );
}

/** Beside a turn, or between turns. */
function owedToCompaction({ compaction, turn }: State): Effect[] {
  if (compaction === null || compaction.ready !== null || compaction.isMoved || turn?.cancel != null) return [];
  return [{ kind: 'compact', id: `compact:${compaction.number}`, compaction: compaction.number }];
}

function owedToCalls(turn: Turn, isStopping: boolean): Effect[] {
  const effects: Effect[] = [];
  // A turn that is ending begins nothing new.
  const isClosing = isStopping || turn.ending !== null;
  for (const call of turn.calls) {
    if (call.status === 'running') {
      const mode = isStopping ? 'stop' : call.isInterrupted ? 'recover' : 'run';
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
