/** Whether a call may run, said once more beside the engine: by the rules and the mode of one moment. */
import { judgeByRules } from '@pawl/policy';
import type { AgentProfile, JsonObject, PermissionMode, RuleSet, Verdict } from '@pawl/protocol';
import { kindOf } from './kinds.ts';

export type Policy = { rules: RuleSet; mode: PermissionMode; profile?: AgentProfile | null | undefined };

/** What rules, mode and tool say of a call now. No such tool, or arguments that it does not take: deny. */
export function verdictOn({ rules, mode, profile }: Policy, tool: string, input: JsonObject): Verdict {
  const kind = kindOf(tool);
  if (kind === undefined || !kind.isInput(input)) return 'deny';
  const list = profile?.tools ?? ['*'];
  const isAgents = list.includes(tool) || (list.includes('*') && !list.includes(`!${tool}`));
  if (!isAgents) return 'deny';
  return judgeByRules({
    tool,
    mode,
    layers: [{ name: 'session', rules }, ...(profile == null ? [] : [{ name: 'agent', rules: profile.rules }])],
    subjects: [{ kind: kind.hasPath ? 'path' : 'text', value: input.path }],
    cwd: '/w',
    home: '/home',
    effect: kind.effect,
    toolAsks: kind.asks && input.fate !== 'quiet',
  }).verdict;
}
