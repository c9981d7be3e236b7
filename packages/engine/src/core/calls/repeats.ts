/** Whether a call only does once more what was done twice before, with nothing new to be learned from it. */

import { isSameJson } from '../same-json.ts';
import type { Call, State } from '../state.ts';
import type { DoneCall } from './state.ts';

/** How many earlier calls of a turn count, and which repetition is stopped. */
const loopWindow = 20;
const loopRepetition = 3;

type Asked = Pick<Call, 'tool' | 'input'>;

function isSameCall(left: Asked, right: Asked): boolean {
  return left.tool === right.tool && isSameJson(left.input, right.input);
}

function recentCalls({ turn }: State): readonly DoneCall[] {
  return turn?.doneCalls.slice(-loopWindow) ?? [];
}

/** The same call as it was made last, if that was not long ago in this turn. */
export function lastSameCall(state: State, call: Asked): DoneCall | null {
  return recentCalls(state).findLast((done) => isSameCall(done, call)) ?? null;
}

/**
 * Whether this is the third same call of the turn, with the same result each time, as far as the log knows; whether what
 * it reads is another by now, the judge looks at. A change of something else between makes it no loop, so `npm test`
 * after every edit runs.
 */
export function isRepetition(state: State, call: Asked): boolean {
  const recent = recentCalls(state);
  const same = recent.filter((done) => isSameCall(done, call)).slice(1 - loopRepetition);
  const [first] = same;
  const last = same.at(-1);
  if (same.length < loopRepetition - 1 || first === undefined || last === undefined) return false;
  if (same.some(({ status, content }) => status !== first.status || content !== first.content)) return false;
  const since = recent.slice(recent.indexOf(first));
  if (since.some((done) => isChange(done) && !isSameCall(done, call))) return false;
  // What a call changed itself is known otherwise after it each time.
  if (isChange(last)) return true;
  if (same.some(({ known }) => !isSameJson(known, last.known))) return false;
  // What failed for what the session did not know may do better now.
  return last.effect === 'read' || Object.entries(last.known).every(([path, digest]) => isKnownAs(state, path, digest));
}

const isChange = ({ effect, status }: DoneCall): boolean => status === 'ok' && effect !== 'read' && effect !== null;

const isKnownAs = ({ files }: State, path: string, digest: string | null): boolean =>
  (files.get(path) ?? null) === digest;

/** A call has its result. */
export function doneCall({ files }: State, call: Call): DoneCall {
  const { id, tool, input, claims, judgement, result } = call;
  return {
    id,
    tool,
    input,
    effect: claims?.effect ?? null,
    status: result?.status ?? '',
    content: result?.content ?? '',
    known: Object.fromEntries((claims?.paths ?? []).map((path) => [path, files.get(path) ?? null])),
    seen: judgement?.seen,
  };
}
