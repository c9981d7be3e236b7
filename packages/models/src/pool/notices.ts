/** What people see of a failure, a wait and a switch: one line each, and an activity while it lasts. */

import type { ModelEvent } from '@pawl/engine';
import { durationText } from '@pawl/engine/readers/words';
import type { PawlError } from '@pawl/protocol';
import type { Consequence, Standing } from './endpoint.ts';
import type { Step, Target } from './plan.ts';
import { keyLabel, reasonOf } from './show.ts';

type Notice = Extract<ModelEvent, { type: 'notice' }>;
type Activity = Extract<ModelEvent, { type: 'activity' }>;
type Next = Exclude<Step, { do: 'end' }>;

/** Begins with an id or a name, which stands as it is written. */
function warning(code: string, sentence: string): Notice {
  return { type: 'notice', level: 'warning', code, message: `${sentence}.` };
}

function activity(kind: Activity['activity'], sentence: string): Activity {
  return { type: 'activity', activity: kind, detail: `${capital(sentence)}.` };
}

/** A failed try, and what is done next. */
export function failureEvents(
  failed: Target,
  error: PawlError,
  consequence: Consequence,
  next: Next,
  now: number,
): ModelEvent[] {
  const what = whatHappened(failed, error, consequence);
  const then = whatNext(failed, next, now);
  const lines =
    what.code !== null && then.code === 'model_switched'
      ? [
          warning(what.code, what.sentence),
          warning(then.code, `${failed.candidate.id} gives way to ${next.target.candidate.id}`),
        ]
      : [warning(what.code ?? then.code, `${what.sentence}; ${then.sentence}`)];
  return [...lines, activity(then.activity, then.sentence)];
}

/** A wait that no failure of this call has announced. */
export function waitEvents(wait: Extract<Step, { do: 'wait' }>, standing: Standing, now: number): ModelEvent[] {
  const why = standing.state === 'resting' ? `: ${standing.why}` : '';
  const sentence = `${subjectOf(wait.target)} rests${why}`;
  const then = whatNext(wait.target, wait, now);
  return [warning(then.code, `${sentence}; ${then.sentence}`), activity(then.activity, then.sentence)];
}

/** A call that does not begin with what it would have begun with. */
export function detourEvents(wanted: Target, taken: Target, standing: Standing, now: number): ModelEvent[] {
  const then = whatNext(wanted, { do: 'try', target: taken }, now);
  const sentence = `${subjectOf(wanted)} ${whatKeepsFrom(standing, now)}; ${then.sentence}`;
  return [warning(then.code, sentence), activity(then.activity, then.sentence)];
}

function whatKeepsFrom(standing: Standing, now: number): string {
  switch (standing.state) {
    case 'resting':
      return `rests for ${durationText(standing.until - now)}: ${standing.why}`;
    case 'last':
      return 'has no credit left';
    case 'ready':
    case 'doubtful':
      return 'has used up what it may for now';
    case 'retired':
      return 'is no longer used';
    default:
      return standing satisfies never;
  }
}

/** The conversation goes back to the model that is selected. */
export function returnEvent(from: string, to: string): ModelEvent {
  return { type: 'notice', level: 'info', code: 'model_switched', message: `Back from ${from} to ${to}.` };
}

export function queueEvent({ candidate, modelHealth }: Target): ModelEvent {
  return activity(
    'cooling',
    `this call waits for its turn at ${candidate.provider.name}: ${modelHealth.endpoint.gate.describe()}`,
  );
}

function whatHappened(
  failed: Target,
  error: PawlError,
  { meaning, restMs }: Consequence,
): { code: string | null; sentence: string } {
  const subject = subjectOf(failed);
  const reason = reasonOf(error);
  switch (meaning) {
    case 'key_refused':
      return { code: 'key_retired', sentence: `${subject} is no longer used: ${reason}` };
    case 'model_missing':
      return { code: 'model_retired', sentence: `${failed.candidate.id} is no longer used: ${reason}` };
    case 'no_credit':
      return { code: 'key_without_credit', sentence: `${subject} has no credit left` };
    case 'transient':
    case 'too_long':
    case 'unusable':
    case 'final':
      return restMs > 0
        ? { code: 'key_cooling', sentence: `${subject} rests for ${durationText(restMs)}: ${reason}` }
        : { code: null, sentence: `${failed.candidate.id} failed: ${reason}` };
    default:
      return meaning satisfies never;
  }
}

function whatNext(
  from: Target,
  next: Next,
  now: number,
): { code: string; activity: Activity['activity']; sentence: string } {
  if (next.do === 'wait') {
    const span = durationText(next.until - now);
    return next.why === 'cooling'
      ? { code: 'model_cooling', activity: 'cooling', sentence: `waiting ${span} for ${nameOf(next.target)}` }
      : { code: 'model_retry', activity: 'retrying', sentence: `trying again in ${span} (round ${next.round})` };
  }
  const { target } = next;
  if (target.candidate !== from.candidate) {
    return { code: 'model_switched', activity: 'retrying', sentence: `going on with ${target.candidate.id}` };
  }
  return target.key === null || target === from
    ? { code: 'model_retry', activity: 'retrying', sentence: 'trying again' }
    : { code: 'key_switched', activity: 'switching_key', sentence: `going on with key ${keyLabel(target.key)}` };
}

const subjectOf = ({ key, candidate }: Target): string =>
  key === null ? candidate.provider.name : `${candidate.provider.name} key ${keyLabel(key)}`;

const nameOf = ({ key, candidate }: Target): string =>
  key === null ? candidate.id : `${candidate.id} with key ${keyLabel(key)}`;

const capital = (sentence: string): string => sentence.charAt(0).toUpperCase() + sentence.slice(1);
