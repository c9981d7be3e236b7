/** Recognises a call that only repeats what was done twice before, with the same result. */
import { isSameJson } from '../same-json.ts';
import type { Call, State } from '../state.ts';
import type { DoneCall } from './state.ts';

/** How many earlier calls of a turn are compared, and which repetition is refused. */
const repetitionWindow = 20;
const refusedRepetition = 3;

/** The rule that a judgement names when it refuses a repetition. It stands in old logs. */
export const repetitionRule = 'check loop';

type Asked = Pick<Call, 'tool' | 'input'>;

function isSameCall(left: Asked, right: Asked): boolean {
  return left.tool === right.tool && isSameJson(left.input, right.input);
}

function recentCalls({ turn }: State): readonly DoneCall[] {
  return turn?.doneCalls.slice(-repetitionWindow) ?? [];
}

/** The most recent same call, if it is among the last calls of this turn. */
export function lastSameCall(state: State, call: Asked): DoneCall | null {
  return recentCalls(state).findLast((done) => isSameCall(done, call)) ?? null;
}

/**
 * Whether this is the third same call of the turn, with the same result each time, as far as the log shows. Whether the
 * files that it reads have changed since is checked by the judge. A change in between makes it no repetition, so `npm test`
 * runs after every edit.
 */
export function isRepetition(state: State, call: Asked): boolean {
  const recent = recentCalls(state);
  const same = recent.filter((done) => isSameCall(done, call)).slice(1 - refusedRepetition);
  const [first] = same;
  const last = same.at(-1);
  if (same.length < refusedRepetition - 1 || first === undefined || last === undefined) return false;
  if (same.some(({ status, content }) => status !== first.status || content !== first.content)) return false;
  const since = recent.slice(recent.indexOf(first));
  if (since.some((done) => isChange(done) && !isSameCall(done, call))) return false;
  // A call that changes files changes their digests itself, so they are not compared.
  if (isChange(last)) return true;
  if (same.some(({ digests }) => !isSameJson(digests, last.digests))) return false;
  // A change that failed may succeed now if its files have changed since.
  return (
    last.effect === 'read' || Object.entries(last.digests).every(([path, digest]) => isUnchanged(state, path, digest))
  );
}

const isChange = ({ effect, status }: DoneCall): boolean => status === 'ok' && effect !== 'read' && effect !== null;

const isUnchanged = ({ files }: State, path: string, digest: string | null): boolean =>
  (files.get(path) ?? null) === digest;

/** What is kept of a call that has its result. */
export function recordOfCall({ files }: State, call: Call): DoneCall {
  const { id, tool, input, claims, judgement, result } = call;
  return {
    id,
    tool,
    input,
    effect: claims?.effect ?? null,
    status: result?.status ?? '',
    content: result?.content ?? '',
    digests: Object.fromEntries((claims?.paths ?? []).map((path) => [path, files.get(path) ?? null])),
    seen: judgement?.seen,
  };
}
