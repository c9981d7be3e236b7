import { homedir } from 'node:os';
import type { JudgedPart, RuleLayer, Subject } from '@pawl/policy';
import { explainByRules, judgeScope, plainAsk, suggestRules } from '@pawl/policy';
import type { AgentProfile, JsonObject, Judgement } from '@pawl/protocol';
import { isPawlError, messageOf } from '@pawl/protocol';
import { toolsFor } from '../../context/audience.ts';
import type { Call } from '../../core/index.ts';
import { findCall, isRepetition, isSameJson, lastSameCall, repetitionRule } from '../../core/index.ts';
import type { Tool, ToolPlan, ToolScope } from '../../ports.ts';
import { validateInput } from '../../registry/validate.ts';
import { truncateOutput } from '../truncate-output.ts';
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

/** A call, as far as judging needs it. */
export type Asked = Pick<Call, 'id' | 'tool' | 'input' | 'malformed'>;
type JudgeContext = Pick<EffectContext, 'ports' | 'state' | 'signal'>;

/** The verdict on one call, and never an exception. */
export function judge(call: Asked, context: JudgeContext): Promise<Judgement> {
  return pipeline(call, context).catch((thrown: unknown) => judgingFailed(call, thrown));
}

async function pipeline(call: Asked, context: JudgeContext): Promise<Judgement> {
  const { state, ports } = context;
  if (state.turn?.options.toolChoice === 'none') return mistake(call, 'check choice', noToolsMessage(call));
  const { profile } = state.settings;
  const tools = toolsFor(ports.tools, state, profile);
  const tool = tools.get(call.tool);
  if (tool === undefined) {
    const names = tools.specs().map(({ name }) => name);
    const isOthers = profile?.tools != null && ports.tools.get(call.tool) !== undefined;
    return mistake(
      call,
      'check tool',
      isOthers ? otherAgentsToolMessage(call.tool, profile, names) : unknownToolMessage(call.tool, names),
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
  // Loads the shell's grammar, which the tool needs to say what a command does.
  const command = subjects.find(({ kind }) => kind === 'command');
  const canonicalPaths = command === undefined ? new Map() : await canonicalPathsOf(command.value, base);
  const effect = typeof tool.effect === 'function' ? tool.effect(input) : tool.effect;
  const asked = { ...base, canonicalPaths, effect };
  const { isLoop, ...seen } = isPolling(tool, input)
    ? notRepeated
    : await checkRepetition(call, { effect, paths }, context);
  if (isLoop) return { ...mistake(call, repetitionRule, repetitionMessage(call)), effect, paths };
  const containment = (await tool.containment?.(input, scope)) ?? 'none';
  const { ruling, parts } = explainByRules({
    ...asked,
    layers: layersOf(context),
    mode: state.settings.mode,
    toolAsks: await toolAsks(tool, input, effect, scope),
    containment,
  });
  const { verdict, rule, reason } = ruling;
  const judged = { call: call.id, verdict, rule, effect, paths, ...seen };
  if (verdict === 'deny') return { ...judged, reason };
  const scopes = state.assignment?.scopes ?? [];
  const isHeld = scopes.length > 0 && (await tool.holdsScope?.(input, scope)) === true;
  const stray = judgeScope(scopes, { ...asked, paths, isHeld });
  if (stray !== null) return { ...judged, ...stray };

  // The plan reads the world on behalf of the call, so it is only made for calls that are not denied.
  const plan = await planCall(tool, input, scope);
  if (plan.problem !== undefined) return { ...mistake(call, 'check plan', plan.problem), effect, paths };
  if (verdict !== 'ask') return { ...judged, ...plan.found };
  const approvers = ports.approvers === undefined ? null : approversOf(ports.approvers, asked);
  return {
    ...judged,
    // The usual reason, that the tool asks, need not be repeated.
    ...(reason !== plainAsk(tool.name) && { reason }),
    ...plan.found,
    // No rule lets a call out of its sandbox.
    suggestions: containment === 'escape' ? [] : suggestRules(base),
    ...partsOf(parts),
    ...(approvers !== null && { approvers }),
  };
}

/** Parts of a call that are listed, at most. */
const maxParts = 50;

/** The parts of a call that need the approval, and those that are allowed already. */
function partsOf(parts: readonly JudgedPart[]): Pick<Judgement, 'parts'> {
  const needing = parts.filter(({ verdict }) => verdict === 'ask');
  if (needing.length === 0 || needing.length === parts.length) return {};
  const others = parts.filter(({ verdict }) => verdict !== 'ask');
  const told = [...needing, ...others].slice(0, maxParts);
  return { parts: told.map(({ text, verdict, rule }) => ({ text, verdict, rule })) };
}

function otherAgentsToolMessage(
  tool: string,
  profile: AgentProfile | null | undefined,
  names: readonly string[],
): string {
  return `The agent ${profile?.name ?? ''} does not have the tool "${tool}". It has: ${names.join(', ')}.`;
}

async function planCall(tool: Tool, input: JsonObject, scope: ToolScope) {
  try {
    // As the log will hold it. A plan that JSON cannot hold is the tool's mistake, found before anything is done.
    const { questions = [], ...found }: ToolPlan = JSON.parse(JSON.stringify((await tool.plan?.(input, scope)) ?? {}));
    checkQuestions(questions);
    return { found: { ...found, ...(questions.length > 0 && { questions: [...questions] }) } };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

async function toolAsks(
  tool: Tool,
  input: JsonObject,
  effect: Judgement['effect'],
  scope: ToolScope,
): Promise<boolean> {
  return tool.approval === undefined ? effect !== 'read' : tool.approval(input, scope);
}

/** What rules are matched against: the canonical paths, or the tool's main argument. */
function subjectsOf(tool: Tool, input: JsonObject, paths: readonly string[]): Subject[] {
  if (tool.subjectKind === 'path') return paths.map((value) => ({ kind: 'path', value }));
  const first = Object.values(input).find((value) => typeof value === 'string');
  const value = tool.subject?.(input) ?? first;
  return value === undefined ? [] : [{ kind: tool.subjectKind ?? 'text', value }];
}

function mistake(call: Asked, rule: string, problem: string): Judgement {
  const reason = truncateOutput(problem, { isError: true }).content;
  return { call: call.id, verdict: 'deny', rule, reason, isMistake: true, effect: 'read', paths: [] };
}

/** A call that cannot be judged does not run. */
function judgingFailed(call: Asked, thrown: unknown): Judgement {
  const rule = isPawlError(thrown, 'bad_rule') ? 'check rules' : 'check call';
  return mistake(call, rule, `This call could not be judged, so it was not run: ${messageOf(thrown)}`);
}

const notRepeated = { isLoop: false };

const isPolling = ({ isPolling: declared = false }: Tool, input: JsonObject): boolean =>
  typeof declared === 'function' ? declared(input) : declared;

/** Whether the call is a repetition; and the digests of what it reads, to compare with the next time. */
async function checkRepetition(
  call: Asked,
  { effect, paths }: Pick<Judgement, 'effect' | 'paths'>,
  { state, ports }: JudgeContext,
): Promise<{ isLoop: boolean; seen?: NonNullable<Judgement['seen']> }> {
  const before = lastSameCall(state, call);
  if (before === null) return notRepeated;
  const isLoop = isRepetition(state, call);
  // Files of a call that did not run before are not read here either.
  const hasRun = before.status === 'ok' || before.status === 'error';
  if (effect !== 'read' || !hasRun || paths.length === 0) return { isLoop };
  const seen = await digestsOf(paths, ports);
  return { isLoop: isLoop && isSameJson(seen, before.seen ?? before.digests), seen };
}

async function digestsOf(
  paths: readonly string[],
  ports: JudgeContext['ports'],
): Promise<NonNullable<Judgement['seen']>> {
  const found = await Promise.all(paths.map(async (path) => ({ path, digest: await digestAt(path, ports) })));
  return Object.fromEntries(found.flatMap(({ path, digest }) => (digest === undefined ? [] : [[path, digest]])));
}

function repetitionMessage(call: Asked): string {
  return `This is the third time in this turn that ${call.tool} is called with these arguments. Each time the result was the same, and nothing was changed since. It was not run again. Do something else.`;
}

function noToolsMessage({ tool }: Asked): string {
  return `Not run: in this turn no tools are called, and ${tool} was. Answer without.`;
}

function unknownToolMessage(name: string, known: readonly string[]): string {
  const list = known.length === 0 ? 'There are no tools.' : `There are: ${known.join(', ')}.`;
  return `There is no tool "${name}". ${list}`;
}
