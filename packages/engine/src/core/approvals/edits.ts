/** Describes what an approver changed in the arguments of a call. */
import type { Json, JsonObject } from '@pawl/protocol';
import { canonicalJson } from '../canonical-json.ts';
import { isSameJson } from '../same-json.ts';

/** Values longer than this, in characters, are shortened. */
const longestShown = 120;

/** `command: "touch a" → "touch b"`: each argument that differs, in the order of the names. Empty when none differs. */
export function summariseEdit(before: JsonObject, after: JsonObject): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort((one, other) =>
    one < other ? -1 : 1,
  );
  const changes = names.flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (old === undefined) return now === undefined ? [] : [`${name}: added ${shownValue(now)}`];
    if (now === undefined) return [`${name}: removed, was ${shownValue(old)}`];
    return isSameJson(old, now) ? [] : [`${name}: ${shownValue(old)} → ${shownValue(now)}`];
  });
  return changes.join('; ');
}

function shownValue(value: Json): string {
  const text = canonicalJson(value);
  return text.length <= longestShown
    ? text
    : `(${text.length} characters) ${text.slice(0, longestShown / 2).toWellFormed()}…`;
}
