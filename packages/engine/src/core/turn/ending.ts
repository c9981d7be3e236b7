/** How a turn ends. */
import type { EventBody, LoopStatus, TurnOutcome } from '@pawl/protocol';
import { maxMalformedRounds } from '../calls/malformed.ts';
import type { Turn } from '../state.ts';

/** A person cancelled it, or its time is up. */
export function isStopping(turn: Turn): boolean {
  return turn.cancel !== null || turn.isOverTime;
}

/** Nobody stopped it: a limit of its time did, or of the time of the session that it works for. */
export function isOutOfTime({ cancel, isOverTime }: Turn): boolean {
  return cancel === null ? isOverTime : cancel.isOutOfTime;
}

export function stopEnding(turn: Turn): NonNullable<Turn['ending']> {
  if (turn.cancel === null) {
    return { outcome: 'max_duration', message: `The turn ran out of time in step ${turn.step}. Continue to go on.` };
  }
  const { by, reason, isOutOfTime } = turn.cancel;
  if (isOutOfTime) return { outcome: 'max_duration', message: reason ?? 'The turn ran out of time.' };
  return {
    outcome: 'cancelled',
    message: `Cancelled by ${by.id}${reason === null ? '' : `: ${reason}`}.`.replace(/\.\.$/, '.'),
  };
}

/** The ending of a turn whose model repeats malformed calls or wrong results; null otherwise. */
export function giveUpEnding({ malformedRounds, calls, failedResult }: Turn): Turn['ending'] {
  if (failedResult !== null) {
    const message = `The agent did not give the result that was asked for, even after it was told what was wrong. ${failedResult}`;
    return { outcome: 'failed', message };
  }
  if (malformedRounds < maxMalformedRounds) return null;
  const last = calls.at(-1)?.judgement?.reason ?? '';
  const message = `The model's calls were malformed ${malformedRounds} times in a row. The last: ${last}`;
  return { outcome: 'failed', message };
}

export function turnEnded(turn: Turn, ending: NonNullable<Turn['ending']>): EventBody {
  const { number, step, usage, costUsd, unattendedDenials, loop } = turn;
  const reached = loop !== null && {
    loop: { status: loopStatusAtEnd(loop.status, ending.outcome), iterations: loop.iteration },
  };
  const data = { turn: number, ...ending, steps: step, usage, costUsd, unattendedDenials, ...reached };
  return { type: 'turn.ended', data };
}

/** A failed or cancelled turn keeps the status that its loop had. */
function loopStatusAtEnd(status: LoopStatus, outcome: TurnOutcome): LoopStatus {
  switch (outcome) {
    case 'completed':
    case 'blocked':
      return outcome;
    case 'max_steps':
    case 'max_duration':
    case 'budget':
    case 'truncated':
      return 'budget_exhausted';
    case 'failed':
    case 'cancelled':
      return status;
    default:
      return outcome satisfies never;
  }
}
