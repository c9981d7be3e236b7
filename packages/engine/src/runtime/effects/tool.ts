import type { EventData, JsonObject } from '@pawl/protocol';
import { isPawlError, messageOf, PawlError } from '@pawl/protocol';
import type { Call } from '../../core/index.ts';
import { findCall } from '../../core/index.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../ports.ts';
import { chainTool } from '../middleware.ts';
import { shapeOutput } from '../shape.ts';
import { validateInput } from '../validate.ts';
import type { EffectContext, Runner } from './effect.ts';
import { toolScope } from './scope.ts';

/** How long a tool that was told to stop may take to do so, ms. */
const stopGraceMs = 2000;

/** Code of the error that a tool's run ends with when it does not stop. */
const leftBehind = 'left_behind';

type Finished = EventData['tool.finished'];

/**
 * Runs a call, whose intent is in the log. After a crash no deed is repeated unless that is harmless:
 * the tool is asked what became of it, and where nobody knows, that is the outcome.
 */
export const runTool: Runner<'tool'> = async (effect, context) => {
  const call = findCall(context.state, effect.call);
  if (call === undefined) return;
  const tool = context.ports.tools.get(call.tool);
  const owed = { effect: effect.id, call };
  if (tool === undefined) {
    // It was there when the call was judged: the host was started without it.
    await finish(context, owed, { status: 'unknown', content: `There is no tool "${call.tool}" here any more.` });
  } else if (effect.mode === 'run') {
    await perform(context, owed, tool);
  } else {
    await recover(context, owed, tool, effect.mode);
  }
};

/** The effect and its call. Only what comes back under the effect's id counts. */
type Owed = { effect: string; call: Call };

/** The call had begun when its driver was gone; `stop` is a recovery that begins nothing. */
async function recover(context: EffectContext, owed: Owed, tool: Tool, mode: 'recover' | 'stop'): Promise<void> {
  const effect = owed.call.claims?.effect;
  const isHarmless = effect === 'read' || (effect === 'idempotent' && mode === 'recover');
  const found = isHarmless ? 'not_done' : await reconciled(context, owed, tool);
  if (found === 'not_done' && mode === 'recover') {
    await perform(context, owed, tool);
  } else if (found === 'not_done') {
    await finish(context, owed, { status: 'cancelled', content: 'Cancelled. It had begun and took no effect.' });
  } else if (found !== null) {
    await finish(context, owed, await outcomeOf(context, found));
  } else {
    const content =
      'Interrupted: the program was stopped while this ran, and nobody knows whether it took effect. Look at the state of things before trying it again.';
    await finish(context, owed, { status: 'unknown', content });
  }
}

/** What the tool finds out about its own deed; null if nobody can know. */
async function reconciled(
  context: EffectContext,
  { call }: Owed,
  tool: Tool,
): Promise<ToolOutcome | 'not_done' | null> {
  const evidence = call.judgement?.evidence;
  const input = await inputOf(tool, call).catch(() => null);
  if (tool.reconcile === undefined || evidence === undefined || input === null) return null;
  const asked = tool.reconcile(input, evidence, toolScope(context, call));
  return withGrace(context, tool.name, asked).catch(() => null);
}

async function perform(context: EffectContext, owed: Owed, tool: Tool): Promise<void> {
  const { ports, broadcast, signal } = context;
  const { call } = owed;
  if (signal.aborted) {
    await finish(context, owed, { status: 'cancelled', content: `Not run. ${messageOf(signal.reason)}` });
    return;
  }
  broadcast({ type: 'tool.progress', data: { call: call.id, state: 'running' } });
  const toolContext: ToolContext = {
    ...toolScope(context, call),
    paths: call.judgement?.paths ?? [],
    basis: call.judgement?.basis ?? null,
    progress: (update) => broadcast({ type: 'tool.progress', data: { call: call.id, state: 'running', ...update } }),
  };
  const begun = ports.clock.now();
  const run = chainTool(ports.toolMiddleware, async (chosen, input, scope) => chosen.run(input, scope));
  try {
    const outcome = await withGrace(context, tool.name, run(tool, await inputOf(tool, call), toolContext));
    const finished = await outcomeOf(context, outcome);
    // A tool that was stopped says what it can; that it was stopped is not its to say.
    const status = signal.aborted && finished.status !== 'ok' ? 'cancelled' : finished.status;
    await finish(context, owed, { ...finished, status, durationMs: ports.clock.now() - begun }, outcome.stage);
  } catch (thrown) {
    if (isPawlError(thrown, 'outdated')) {
      const data = { call: call.id, reason: thrown.message };
      await context.report({ type: 'tool.outdated', effect: owed.effect, data });
      return;
    }
    const isLeft = isPawlError(thrown, leftBehind);
    // Whatever a tool that does not stop still does, nobody will see.
    const status = !signal.aborted ? 'error' : isLeft && call.claims?.effect !== 'read' ? 'unknown' : 'cancelled';
    const sentence = signal.aborted && !isLeft ? `Cancelled. ${messageOf(signal.reason)}` : messageOf(thrown);
    const { content } = shapeOutput(sentence, { isError: true });
    await finish(context, owed, { status, content, durationMs: ports.clock.now() - begun });
  }
}

/** A tool that does not stop when told to is left behind. */
async function withGrace<Value>(context: EffectContext, name: string, work: Promise<Value>): Promise<Value> {
  const { signal, ports } = context;
  let callOff: () => void = () => undefined;
  const overdue = new Promise<never>((_, reject) => {
    const wait = () => {
      callOff = ports.clock.at(ports.clock.now() + stopGraceMs, () =>
        reject(
          new PawlError(
            leftBehind,
            `The tool ${name} did not stop within ${stopGraceMs} ms and was left behind. What it still does is not seen here; look before you go on.`,
          ),
        ),
      );
    };
    if (signal.aborted) wait();
    else signal.addEventListener('abort', wait, { once: true });
    callOff = () => signal.removeEventListener('abort', wait);
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    callOff();
    work.catch(() => undefined);
  }
}

/** The arguments as the tool's schema makes them, which is how they were judged: with defaults, transformed. */
async function inputOf(tool: Tool, call: Call): Promise<JsonObject> {
  const valid = await validateInput(tool, call.input);
  if (valid.ok) return valid.value;
  throw new Error(valid.message);
}

type Ending = Omit<Finished, 'call'>;

async function outcomeOf(context: EffectContext, outcome: ToolOutcome): Promise<Ending> {
  const isError = outcome.isError === true;
  const shaped = shapeOutput(String(outcome.content), { isError });
  const details: JsonObject = { ...asJson(outcome.details), ...shaped.details };
  if (shaped.isTruncated) {
    // The deed is done whatever becomes of its output: a blob that cannot be written costs only what was cut.
    const digest = await context.ports.blobs.put(new TextEncoder().encode(outcome.content)).catch(() => null);
    if (digest !== null) details.output = digest;
    shaped.content += `\n[${digest === null ? 'The whole output could not be kept.' : `The whole output can be read with the path output:${digest}`}]`;
  }
  return {
    status: isError ? 'error' : 'ok',
    content: shaped.content,
    details,
    ...(outcome.endsTurn !== undefined && { endsTurn: outcome.endsTurn }),
  };
}

/** What JSON cannot hold would keep the outcome out of the log, and the outcome is what counts. */
function asJson(details: ToolOutcome['details']): JsonObject {
  try {
    return JSON.parse(JSON.stringify(details ?? {}));
  } catch (error) {
    return { problem: `The details could not be kept: ${messageOf(error)}` };
  }
}

async function finish(context: EffectContext, owed: Owed, ending: Ending, stage?: string): Promise<void> {
  const data = { call: owed.call.id, ...ending };
  await context.report({ type: 'tool.finished', effect: owed.effect, data, stage: stage ?? null });
}
