/** One run of a tool, from its arguments to the data of `tool.finished`. */
import type { JsonObject } from '@pawl/protocol';
import { isPawlError, messageOf, PawlError } from '@pawl/protocol';
import type { Call, ToolDeclarations } from '../../core/index.ts';
import { demandOf } from '../../core/index.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../ports.ts';
import { validateInput } from '../../registry/validate.ts';
import { chainTool } from '../middleware.ts';
import { outcomeOf } from '../outcome.ts';
import { checkOutcome } from '../result.ts';
import { truncateOutput } from '../truncate-output.ts';
import type { EffectContext } from './effect.ts';
import type { Ended, Ending, Ran } from './ended.ts';
import { toolScope } from './scope.ts';

/** How long a tool that was told to stop may take to do so, ms. */
const stopGraceMs = 2000;

/** Code of the error that a tool's run ends with when it does not stop. */
const leftBehind = 'left_behind';

type World = Pick<EffectContext, 'ports' | 'state' | 'signal'>;
type JudgedCall = Pick<Call, 'id' | 'input' | 'judgement'> & Partial<Pick<Call, 'questions'>>;

/**
 * Runs the tool through the middleware. Always resolves. With `isValid` the arguments are not validated again.
 */
export async function runOnce(
  world: World,
  tool: Tool,
  call: JudgedCall,
  progress: ToolContext['progress'],
  isValid = false,
): Promise<Ran> {
  const { ports, signal } = world;
  const context: ToolContext = {
    ...toolScope(world, call),
    paths: call.judgement?.paths ?? [],
    basis: call.judgement?.basis ?? null,
    progress,
    ...repliesTo(call),
  };
  const begun = ports.clock.now();
  const outside = tool.isOutside === true ? { isOutside: true } : {};
  const run = chainTool(ports.toolMiddleware, async (chosen, input, scope) =>
    outcomeOf(chosen.name, await chosen.run(input, scope)),
  );
  try {
    const outcome = await withGrace(
      world,
      tool.name,
      run(tool, isValid ? call.input : await inputOf(tool, call), context),
    );
    const { ending, ...said } = await endingOf(world, outcomeOf(tool.name, outcome));
    // The engine decides the status of a stopped call; the tool only gives the text.
    const status = signal.aborted && ending.status !== 'ok' ? stoppedStatus(signal) : ending.status;
    return {
      ending: { ...ending, ...outside, status, durationMs: ports.clock.now() - begun },
      ...said,
    };
  } catch (thrown) {
    if (isPawlError(thrown, 'outdated')) return { outdated: thrown.message };
    const isLeft = isPawlError(thrown, leftBehind);
    // Nobody sees what a tool does that does not stop.
    const isUnknown = isLeft && call.judgement?.effect !== 'read';
    const status = !signal.aborted ? 'error' : isUnknown ? 'unknown' : stoppedStatus(signal);
    const sentence = signal.aborted && !isLeft ? stopText(signal.reason) : messageOf(thrown);
    const { content } = truncateOutput(ports.redactor.redact(sentence), { isError: true });
    return { ending: { status, content, ...outside, durationMs: ports.clock.now() - begun } };
  }
}

const isLate = (reason: unknown) => isPawlError(reason, 'max_duration');

/** A time limit is not a cancel. */
const stopText = (reason: unknown) => `${isLate(reason) ? 'Stopped' : 'Cancelled'}. ${messageOf(reason)}`;

/** The status of a call that was stopped. */
export const stoppedStatus = ({ reason }: AbortSignal) => (isLate(reason) ? 'out_of_time' : 'cancelled');

/** Waits for `work`; rejects with `left_behind` if it does not stop in time after an abort. */
export async function withGrace<Value>({ signal, ports }: World, name: string, work: Promise<Value>): Promise<Value> {
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

/** The arguments as the tool's schema transforms them, with defaults, which is how they were judged. */
export async function inputOf(tool: Tool, { input }: Pick<Call, 'input'>): Promise<JsonObject> {
  const valid = await validateInput(tool, input);
  if (valid.ok) return valid.value;
  throw new Error(valid.message);
}

/** An outcome as the log holds it: truncated to its limits, the whole kept as a blob. */
export async function endingOf(world: World, given: ToolOutcome): Promise<Ended> {
  const demand = demandOf(world.state, given);
  const { held, ...checked } = demand === null ? { held: given } : await checkOutcome(demand, given);
  const outcome = withoutSecrets(world, held);
  const isError = outcome.isError === true;
  const shaped = truncateOutput(outcome.content, { isError });
  const details: JsonObject = { ...outcome.details, ...shaped.details };
  if (shaped.isTruncated) {
    // The deed is done: if the blob cannot be written, only the cut part of the output is lost.
    const { keep = (text: string) => text } = world.ports.redactor;
    const digest = await world.ports.blobs.put(new TextEncoder().encode(keep(outcome.content))).catch(() => null);
    if (digest !== null) details.output = digest;
    shaped.content += `\n[${digest === null ? 'The whole output could not be kept.' : `The whole output can be read with the path output:${digest}`}]`;
  }
  const { files, refused } = await admitFiles(world, outcome);
  const ending: Ending = {
    status: isError ? 'error' : 'ok',
    content: [shaped.content, ...refused].filter((text) => text !== '').join('\n'),
    details,
    ...(files.length > 0 && { files }),
    ...turnEndIn(outcome),
  };
  return { ending, declared: declaredIn(outcome), ...checked };
}

function repliesTo({ questions }: JudgedCall): Pick<ToolContext, 'replies'> {
  const { outcome, answers = null } = questions?.reply ?? {};
  return outcome === undefined || answers === null ? {} : { replies: { outcome, answers } };
}

/** The part of the outcome that ends the turn, if it does. */
function turnEndIn({ endsTurn, isBlocked, result }: ToolOutcome): Pick<Ending, 'endsTurn' | 'isBlocked' | 'result'> {
  if (endsTurn === undefined) return {};
  return {
    endsTurn,
    ...(isBlocked === true && { isBlocked }),
    ...(result !== undefined && { result: asJson({ result }).result ?? null }),
  };
}

function declaredIn({ stage, todos, notes, offers, mail, plan, envelope }: ToolOutcome): ToolDeclarations {
  return {
    ...(mail !== undefined && { mail }),
    ...(stage !== undefined && { stage }),
    ...(todos !== undefined && { todos }),
    ...(notes !== undefined && { notes }),
    ...(offers !== undefined && { offers }),
    ...(plan !== undefined && { plan }),
    ...(envelope !== undefined && { envelope }),
  };
}

function withoutSecrets({ ports }: World, { content, details, ...outcome }: ToolOutcome): ToolOutcome {
  const { redact } = ports.redactor;
  return {
    ...outcome,
    content: redact(content),
    details: asJson(details, redact),
    ...(outcome.endsTurn !== undefined && { endsTurn: redact(outcome.endsTurn) }),
    ...(outcome.plan !== undefined && { plan: redact(outcome.plan) }),
  };
}

async function admitFiles({ ports, state, signal }: World, { files = [] }: ToolOutcome) {
  return files.length === 0 ? { files: [], refused: [] } : ports.attachments.admitResult(files, state, signal);
}

/** Values that JSON cannot hold are dropped, because the outcome itself must reach the log. */
function asJson(details: ToolOutcome['details'], redact = (text: string) => text): JsonObject {
  try {
    return JSON.parse(redact(JSON.stringify(details ?? {})));
  } catch (error) {
    return { problem: redact(`The details could not be kept: ${messageOf(error)}`) };
  }
}
