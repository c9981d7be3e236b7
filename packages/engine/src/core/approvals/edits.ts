/** What an approver changed, in words. */
import type { Json, JsonObject } from '@pawl/protocol';
import { canonicalJson } from '../canonical-json.ts';
import { isSameJson } from '../same-json.ts';

/** Values longer than this, in characters, are told by their length. */
const longestShown = 120;

/** `command: "touch a" → "touch b"`: each argument that differs, in the order of the names. Empty when none does. */
export function summariseEdit(before: JsonObject, after: JsonObject): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort((one, other) =>
    one < other ? -1 : 1,
  );
  const changes = names.flatMap((name) => {
    const [old, now] = [before[name], after[name]];
    if (old === undefined) return now === undefined ? [] : [`${name}: added ${shown(now)}`];
    if (now === undefined) return [`${name}: removed, was ${shown(old)}`];
    return isSameJson(old, now) ? [] : [`${name}: ${shown(old)} → ${shown(now)}`];
  });
  return changes.join('; ');
}

function shown(value: Json): string {
  const text = canonicalJson(value);
  return text.length <= longestShown
    ? text
    : `(${text.length} characters) ${text.slice(0, longestShown / 2).toWellFormed()}…`;
}
