import { homedir } from 'node:os';
import type { RuleLayer, Subject } from '@pawl/policy';
import { judgeByRules, suggestRules } from '@pawl/policy';
import type { JsonObject, Judgement } from '@pawl/protocol';
import { isPawlError, messageOf } from '@pawl/protocol';
import type { Call } from '../../core/index.ts';
import { findCall, isLooping } from '../../core/index.ts';
import type { Tool, ToolPlan, ToolScope } from '../../ports.ts';
import { shapeOutput } from '../shape.ts';
import { validateInput } from '../validate.ts';
import type { EffectContext, Runner } from './effect.ts';
import { toolScope } from './scope.ts';

export type { RuleLayer };

/**
 * May this call run, and what would it do? One ordered pipeline: loop, existence, arguments, rules and mode,
 * the tool's own question, and its plan. Nothing decides elsewhere, and nothing here changes anything.
 */
export const runJudge: Runner<'judge'> = async (effect, context) => {
  const call = findCall(context.state, effect.call);
  if (call === undefined) return;
  const judgement = await judge(call, context).catch((thrown: unknown) => fault(call, thrown));
  const isCounted = await context.report({ type: 'tool.judged', effect: effect.id, judgement });
  if (isCounted && findCall(context.state, call.id)?.status === 'deferred') {
    context.broadcast({ type: 'tool.progress', data: { call: call.id, state: 'queued' } });
  }
};

async function judge(call: Call, context: EffectContext): Promise<Judgement> {
  const { state, ports } = context;
  if (isLooping(state, call)) return mistake(call, 'check loop', looping(call));
  const tool = ports.tools.get(call.tool);
  if (tool === undefined) return mistake(call, 'check tool', unknownTool(call.tool, ports.tools.names()));
  if (call.malformed !== null) {
    return mistake(
      call,
      'check arguments',
      `The arguments of ${tool.name} were not a JSON object. Send them again, whole.`,
    );
  }
  const valid = await validateInput(tool, call.input);
  if (!valid.ok) return mistake(call, 'check arguments', valid.message);

  const input = valid.value;
  const scope = toolScope(context, call);
  const effect = typeof tool.effect === 'function' ? tool.effect(input) : tool.effect;
  const paths = [...((await tool.paths?.(input, scope)) ?? [])];
  const subjects = subjectsOf(tool, input, paths);
  const base = { tool: tool.name, subjects, cwd: state.settings.cwd, home: homedir() };
  const ruling = judgeByRules({
    ...base,
    layers: [...ports.ruleLayers, { name: 'session', rules: state.settings.rules }],
    mode: state.settings.mode,
    effect,
    toolAsks: await asks(tool, input, effect, scope),
  });
  const { verdict, rule, reason } = ruling;
  const judged = { call: call.id, verdict, rule, effect, paths };
  if (verdict === 'deny') return { ...judged, reason };

  // Only now may the world be looked at on the call's behalf: what a denied call would find is not told.
  const plan = await planned(tool, input, scope);
  if (plan.problem !== undefined) return { ...mistake(call, 'check plan', plan.problem), effect, paths };
  const suggestions = verdict === 'ask' ? suggestRules(base) : [];
  return { ...judged, ...plan.found, ...(verdict === 'ask' && { suggestions }) };
}

async function planned(tool: Tool, input: JsonObject, scope: ToolScope) {
  try {
    // As it will stand in the log; what JSON cannot hold is the tool's mistake, and is found before anything is done.
    const found: ToolPlan = JSON.parse(JSON.stringify((await tool.plan?.(input, scope)) ?? {}));
    return { found };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

async function asks(tool: Tool, input: JsonObject, effect: Judgement['effect'], scope: ToolScope): Promise<boolean> {
  return tool.approval === undefined ? effect !== 'read' : tool.approval(input, scope);
}

/** What rules are held against: the canonical paths, or the tool's main argument. */
function subjectsOf(tool: Tool, input: JsonObject, paths: readonly string[]): Subject[] {
  if (tool.subjectKind === 'path') return paths.map((value) => ({ kind: 'path', value }));
  const first = Object.values(input).find((value) => typeof value === 'string');
  const value = tool.subject?.(input) ?? first;
  return value === undefined ? [] : [{ kind: tool.subjectKind ?? 'text', value }];
}

function mistake(call: Call, rule: string, problem: string): Judgement {
  const reason = shapeOutput(problem, { isError: true }).content;
  return { call: call.id, verdict: 'deny', rule, reason, isMistake: true, effect: 'read', paths: [] };
}

/** What cannot be judged does not run. */
function fault(call: Call, thrown: unknown): Judgement {
  const rule = isPawlError(thrown, 'bad_rule') ? 'check rules' : 'check call';
  return mistake(call, rule, `This call could not be judged, so it was not run: ${messageOf(thrown)}`);
}

function looping(call: Call): string {
  return `This is the third time in a row that ${call.tool} is called with these arguments, and each time the result was the same. It was not run again. Do something else.`;
}

function unknownTool(name: string, known: readonly string[]): string {
  const list = known.length === 0 ? 'There are no tools.' : `There are: ${known.join(', ')}.`;
  return `There is no tool "${name}". ${list}`;
}
