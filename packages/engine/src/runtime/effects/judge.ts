import { homedir } from 'node:os';
import type { JudgedPart, RuleLayer, Subject } from '@pawl/policy';
import { explainByRules, judgeScope, plainAsk, suggestRules } from '@pawl/policy';
import type { AgentProfile, JsonObject, Judgement } from '@pawl/protocol';
import { isPawlError, messageOf } from '@pawl/protocol';
import { toolsFor } from '../../context/audience.ts';
import type { Call } from '../../core/index.ts';
import { canonicalJson, findCall, isRepetition, lastSameCall, repetitionRule } from '../../core/index.ts';
import type { Tool, ToolPlan, ToolScope } from '../../ports.ts';
import { validateInput } from '../../registry/validate.ts';
import { shapeOutput } from '../shape.ts';
import { approversOf } from './approvers.ts';
import { canonicalPathsOf } from './canonical.ts';
import { digestAt } from './changed-files.ts';
import type { EffectContext, Runner } from './effect.ts';
import { checkQuestions } from './questions.ts';
import { layersOf, toolScope } from './scope.ts';

export type { RuleLayer };

/**
 * May this call run, and what would it do? One ordered pipeline: tool choice, existence, arguments, loop, rules and mode,
 * the tool's own question, and its plan. Nothing decides elsewhere, and nothing here changes anything.
 */
export const runJudge: Runner<'judge'> = async (effect, context) => {
  const call = findCall(context.state, effect.call);
  if (call === undefined) return;
  const judgement = await judge(call, context);
  await context.report({ type: 'tool.judged', effect: effect.id, judgement });
};

/** What is asked for, as far as judging goes. */
export type Asked = Pick<Call, 'id' | 'tool' | 'input' | 'malformed'>;
type JudgeContext = Pick<EffectContext, 'ports' | 'state' | 'signal'>;

/** The verdict on one call, and never an exception. */
export function judge(call: Asked, context: JudgeContext): Promise<Judgement> {
  return pipeline(call, context).catch((thrown: unknown) => fault(call, thrown));
}

async function pipeline(call: Asked, context: JudgeContext): Promise<Judgement> {
  const { state, ports } = context;
  if (state.turn?.options.toolChoice === 'none') return mistake(call, 'check choice', notAsked(call));
  const { profile } = state.settings;
  const tools = toolsFor(ports.tools, state, profile);
  const tool = tools.get(call.tool);
  if (tool === undefined) {
    const names = tools.specs().map(({ name }) => name);
    const isOthers = profile?.tools != null && ports.tools.get(call.tool) !== undefined;
    return mistake(
      call,
      'check tool',
      isOthers ? notTheAgents(call.tool, profile, names) : unknownTool(call.tool, names),
    );
  }
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
  const paths = [...((await tool.paths?.(input, scope)) ?? [])];
  const subjects = subjectsOf(tool, input, paths);
  const base = { tool: tool.name, subjects, cwd: state.settings.cwd, home: homedir() };
  // Before the tool is asked what a command does: that needs the shell's grammar.
  const command = subjects.find(({ kind }) => kind === 'command');
  const canonicalPaths = command === undefined ? new Map() : await canonicalPathsOf(command.value, base);
  const effect = typeof tool.effect === 'function' ? tool.effect(input) : tool.effect;
  const asked = { ...base, canonicalPaths, effect };
  const { isLoop, ...seen } = isPolling(tool, input)
    ? notRepeated
    : await lookForLoop(call, { effect, paths }, context);
  if (isLoop) return { ...mistake(call, repetitionRule, looping(call)), effect, paths };
  const containment = (await tool.containment?.(input, scope)) ?? 'none';
  const { ruling, parts } = explainByRules({
    ...asked,
    layers: layersOf(context),
    mode: state.settings.mode,
    toolAsks: await asks(tool, input, effect, scope),
    containment,
  });
  const { verdict, rule, reason } = ruling;
  const judged = { call: call.id, verdict, rule, effect, paths, ...seen };
  if (verdict === 'deny') return { ...judged, reason };
  const scopes = state.assignment?.scopes ?? [];
  const isHeld = scopes.length > 0 && (await tool.holdsScope?.(input, scope)) === true;
  const stray = judgeScope(scopes, { ...asked, paths, isHeld });
  if (stray !== null) return { ...judged, ...stray };

  // Only now may the world be looked at on the call's behalf: what a denied call would find is not told.
  const plan = await planned(tool, input, scope);
  if (plan.problem !== undefined) return { ...mistake(call, 'check plan', plan.problem), effect, paths };
  if (verdict !== 'ask') return { ...judged, ...plan.found };
  const approvers = ports.approvers === undefined ? null : approversOf(ports.approvers, asked);
  return {
    ...judged,
    // That a tool asks, as it always does, is said by its question.
    ...(reason !== plainAsk(tool.name) && { reason }),
    ...plan.found,
    // No rule lets a call out of its sandbox.
    suggestions: containment === 'escape' ? [] : suggestRules(base),
    ...partsOf(parts),
    ...(approvers !== null && { approvers }),
  };
}

/** Parts of a call that are told apart, at most. */
const maxParts = 50;

/** Of a call that touches several things, which ones need the answer and which are allowed already. */
function partsOf(parts: readonly JudgedPart[]): Pick<Judgement, 'parts'> {
  const needing = parts.filter(({ verdict }) => verdict === 'ask');
  if (needing.length === 0 || needing.length === parts.length) return {};
  const others = parts.filter(({ verdict }) => verdict !== 'ask');
  const told = [...needing, ...others].slice(0, maxParts);
  return { parts: told.map(({ text, verdict, rule }) => ({ text, verdict, rule })) };
}

function notTheAgents(tool: string, profile: AgentProfile | null | undefined, names: readonly string[]): string {
  return `The agent ${profile?.name ?? ''} does not have the tool "${tool}". It has: ${names.join(', ')}.`;
}

async function planned(tool: Tool, input: JsonObject, scope: ToolScope) {
  try {
    // As it will stand in the log; what JSON cannot hold is the tool's mistake, and is found before anything is done.
    const { questions = [], ...found }: ToolPlan = JSON.parse(JSON.stringify((await tool.plan?.(input, scope)) ?? {}));
    checkQuestions(questions);
    return { found: { ...found, ...(questions.length > 0 && { questions: [...questions] }) } };
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

function mistake(call: Asked, rule: string, problem: string): Judgement {
  const reason = shapeOutput(problem, { isError: true }).content;
  return { call: call.id, verdict: 'deny', rule, reason, isMistake: true, effect: 'read', paths: [] };
}

/** What cannot be judged does not run. */
function fault(call: Asked, thrown: unknown): Judgement {
  const rule = isPawlError(thrown, 'bad_rule') ? 'check rules' : 'check call';
  return mistake(call, rule, `This call could not be judged, so it was not run: ${messageOf(thrown)}`);
}

const notRepeated = { isLoop: false };

const isPolling = ({ isPolling: declared = false }: Tool, input: JsonObject): boolean =>
  typeof declared === 'function' ? declared(input) : declared;

/** Whether the call only goes round in circles; and what it is about to read, for the next time that it is made. */
async function lookForLoop(
  call: Asked,
  { effect, paths }: Pick<Judgement, 'effect' | 'paths'>,
  { state, ports }: JudgeContext,
): Promise<{ isLoop: boolean; seen?: NonNullable<Judgement['seen']> }> {
  const before = lastSameCall(state, call);
  if (before === null) return notRepeated;
  const isLoop = isRepetition(state, call);
  // What was not let read before is not looked at.
  const hasRun = before.status === 'ok' || before.status === 'error';
  if (effect !== 'read' || !hasRun || paths.length === 0) return { isLoop };
  const seen = await digestsOf(paths, ports);
  return { isLoop: isLoop && canonicalJson(seen) === canonicalJson(before.seen ?? before.digests), seen };
}

async function digestsOf(
  paths: readonly string[],
  ports: JudgeContext['ports'],
): Promise<NonNullable<Judgement['seen']>> {
  const found = await Promise.all(paths.map(async (path) => ({ path, digest: await digestAt(path, ports) })));
  return Object.fromEntries(found.flatMap(({ path, digest }) => (digest === undefined ? [] : [[path, digest]])));
}

function looping(call: Asked): string {
  return `This is the third time in this turn that ${call.tool} is called with these arguments. Each time the result was the same, and nothing was changed since. It was not run again. Do something else.`;
}

function notAsked({ tool }: Asked): string {
  return `Not run: in this turn no tools are called, and ${tool} was. Answer without.`;
}

function unknownTool(name: string, known: readonly string[]): string {
  const list = known.length === 0 ? 'There are no tools.' : `There are: ${known.join(', ')}.`;
  return `There is no tool "${name}". ${list}`;
}
