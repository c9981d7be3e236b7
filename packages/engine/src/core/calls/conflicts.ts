/** How the calls of one step stand to each other. */
import type { ToolEffect } from '@pawl/protocol';
import type { Call, Turn } from '../state.ts';

type Claims = { effect: ToolEffect; paths: readonly string[] };

/** Steps in a row without one call that is right, before the turn ends. */
export const maxMalformedRounds = 3;

/** Whether the call was wrong in itself: no such tool, arguments that are none or do not fit, too many at once, none wanted. */
export function isMalformed({ judgement }: Call): boolean {
  return judgement?.isMistake === true && malformedChecks.has(judgement.rule);
}

/** The rule of a judgement by which a call is not made once more. */
export const repetitionRule = 'check loop';

const malformedChecks: ReadonlySet<string> = new Set(['check tool', 'check arguments', 'check count', 'check choice']);

/** Calls of one step that run at the same time, at most. */
export const maxParallelCalls = 16;

function overlaps(left: string, right: string): boolean {
  return (
    left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`) || left === '/' || right === '/'
  );
}

/** Whether two calls must not run at the same time. A change that names no path may touch anything. */
function conflict(left: Claims, right: Claims): boolean {
  if (left.effect === 'read' && right.effect === 'read') return false;
  if (left.effect === 'external' || right.effect === 'external') return true;
  if (left.paths.length === 0 || right.paths.length === 0) return true;
  return left.paths.some((path) => right.paths.some((other) => overlaps(path, other)));
}

/**
 * Calls of its step that this one has to wait for: earlier ones it conflicts with, or may, as long as nobody knows;
 * and later ones that run already, as they may when an approver changed what this one touches.
 */
export function blockers(calls: readonly Call[], call: Call, claims: Claims): Call[] {
  const place = calls.indexOf(call);
  return calls.filter((other, index) => {
    if (index === place || other.status === 'finished') return false;
    if (index > place && other.status !== 'running') return false;
    return other.claims === null || conflict(claims, other.claims);
  });
}

/** Whether no other call stands in its way. */
export function isClear(turn: Turn, call: Call): boolean {
  return call.claims !== null && blockers(turn.calls, call, call.claims).length === 0;
}

/** A result with what the model must know of how the call came to run. */
export function withRemarks({ remarks }: Pick<Call, 'remarks'>, content: string): string {
  return [content, ...remarks.map((remark) => `(${remark})`)].filter((line) => line !== '').join('\n');
}
