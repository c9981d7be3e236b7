/** Which calls of one step must not run at the same time. */
import type { ToolEffect } from '@pawl/protocol';
import type { Call, Turn } from '../state.ts';

type Claims = { effect: ToolEffect; paths: readonly string[] };

/** Calls of one step that run at the same time, at most. */
export const maxParallelCalls = 16;

function overlaps(left: string, right: string): boolean {
  return (
    left === right || left.startsWith(`${right}/`) || right.startsWith(`${left}/`) || left === '/' || right === '/'
  );
}

/** Whether two calls must not run at the same time. A change that names no path may touch any file. */
function conflict(left: Claims, right: Claims): boolean {
  if (left.effect === 'read' && right.effect === 'read') return false;
  if (left.effect === 'external' || right.effect === 'external') return true;
  if (left.paths.length === 0 || right.paths.length === 0) return true;
  return left.paths.some((path) => right.paths.some((other) => overlaps(path, other)));
}

/**
 * Calls of the same step that this one has to wait for: earlier ones that conflict with it, or that were not judged yet;
 * and later ones that already run, which happens when an approver changed what this call touches.
 */
export function blockers(calls: readonly Call[], call: Call, claims: Claims): Call[] {
  const place = calls.indexOf(call);
  return calls.filter((other, index) => {
    if (index === place || other.status === 'finished') return false;
    if (index > place && other.status !== 'running') return false;
    return other.claims === null || conflict(claims, other.claims);
  });
}

/** Whether the call has to wait for no other one. */
export function isClear(turn: Turn, call: Call): boolean {
  return call.claims !== null && blockers(turn.calls, call, call.claims).length === 0;
}
