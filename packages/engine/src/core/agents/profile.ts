/** What an agent may do, and whether another agent may do more. */

import { matchesText } from '@pawl/policy';
import type { AgentProfile, CommandData, PermissionMode } from '@pawl/protocol';
import { stricterMode } from '@pawl/protocol';
import type { Settings } from '../state.ts';

type Profile = AgentProfile | null | undefined;

/** Whether the agent's list of tools includes this one. A tool excluded by `!name` stays excluded, wherever that stands in the list. */
export function mayCall(profile: Profile, tool: string): boolean {
  const tools = profile?.tools ?? null;
  if (tools === null) return true;
  const covers = (pattern: string) => matchesText(pattern, tool);
  if (tools.some((pattern) => pattern.startsWith('!') && covers(pattern.slice(1)))) return false;
  return tools.some((pattern) => !pattern.startsWith('!') && covers(pattern));
}

/** The mode of a session that starts with this agent: the agent's own mode, if it has one, but never wider than the requested one. */
export function modeWith(profile: Profile, said: PermissionMode | undefined): PermissionMode | undefined {
  if (profile?.mode === undefined) return said;
  return said === undefined ? profile.mode : stricterMode(profile.mode, said);
}

type Change = Pick<CommandData['session.configure'], 'profile' | 'mode'>;

/** The mode that comes with a change of the agent; undefined where the mode does not change. */
export function modeAfter(settings: Settings, { profile, mode }: Change): PermissionMode | undefined {
  if (profile === undefined) return mode;
  const next = modeWith(profile, mode ?? (profile?.mode === undefined ? settings.modeOfSession : undefined));
  return next === settings.mode && mode === undefined ? undefined : next;
}

/** Whether the change allows anything that the present agent may not do. Only a person can make such a change. */
export function isWidening(settings: Settings, change: Change): boolean {
  if (change.profile === undefined) return false;
  const [from, to] = [settings.profile ?? null, change.profile];
  const mode = modeAfter(settings, change) ?? settings.mode;
  if (mode !== stricterMode(mode, settings.mode)) return true;
  const rulesOf = (profile: Profile) => profile?.rules ?? { deny: [], ask: [], allow: [] };
  const [before, after] = [rulesOf(from), rulesOf(to)];
  const hasAll = (rules: readonly string[], wanted: readonly string[]) => wanted.every((rule) => rules.includes(rule));
  if (!hasAll(before.allow, after.allow) || !hasAll(after.deny, before.deny) || !hasAll(after.ask, before.ask))
    return true;
  return !isWithin(to?.tools ?? null, from?.tools ?? null);
}

/** Whether a list of tools certainly contains nothing beyond another list. */
function isWithin(tools: readonly string[] | null, others: readonly string[] | null): boolean {
  if (others === null) return true;
  if (tools === null) return false;
  const [left, kept] = [true, false].map((isOut) => others.filter((pattern) => pattern.startsWith('!') === isOut));
  return (
    (left ?? []).every((pattern) => tools.includes(pattern)) &&
    tools.every((pattern) => pattern.startsWith('!') || kept?.includes(pattern) === true)
  );
}
