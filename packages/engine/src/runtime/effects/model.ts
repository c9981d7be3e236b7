import { PawlError, toPawlError } from '@pawl/protocol';
import { filesOf } from '../../context/files.ts';
import { buildRequest, type Told, toldTo } from '../../context/request.ts';
import { callId, due, noUsage } from '../../core/index.ts';
import type { Model, ModelMessage, ModelPart, ModelRequest } from '../../ports.ts';
import { untilAborted } from '../../waiting.ts';
import { chainRequest } from '../middleware.ts';
import { checkAnswer } from '../result.ts';
import type { EffectContext, Runner } from './effect.ts';
import { SpendingMeter, type Spent } from './spent.ts';

/**
 * Calls the model, broadcasts its answer as it comes, and reports the whole. May be repeated after a crash:
 * nothing of it is in the log before it is whole. Stopped, it reports the text so far.
 */
export const runModel: Runner<'model'> = async (effect, context) => {
  const { state, signal, report } = context;
  const name = state.settings.model;
  if (effect.mode === 'stop') {
    await report({ type: 'model.failed', effect: effect.id, model: name, error: cancelled, partial: null });
    return;
  }
  const isOwed = () => due(state).some(({ id }) => id === effect.id) && !signal.aborted;
  const answer = new Answer(context, callIdsOf(context));
  context.speculation.discard();
  try {
    const answered = await untilAborted(signal, ask(name, context, answer, isOwed));
    if (answered !== null) {
      await context.speculation.close();
      const checked = await checkAnswer(state, answered.message);
      const known = { ...answered, ...(checked !== null && { checked }) };
      await report({ type: 'model.finished', effect: effect.id, ...known });
      return;
    }
    context.speculation.discard();
    const partial = answer.soFar(true);
    await report({
      type: 'model.failed',
      effect: effect.id,
      model: name,
      error: cancelled,
      partial,
      ...answer.spent(true),
    });
  } catch (thrown) {
    context.speculation.discard();
    const { code, message } = signal.aborted ? cancelled : toPawlError(thrown, 'model_failed');
    const isStopped = signal.aborted || code === 'request_timeout';
    const partial = answer.soFar(isStopped);
    if (partial === null) answer.withdraw(message);
    const isUntried = !signal.aborted && thrown instanceof RequestTimeout && { isUntried: true };
    await report({
      type: 'model.failed',
      effect: effect.id,
      model: name,
      error: { code, message },
      partial,
      ...answer.spent(isStopped),
      ...isUntried,
    });
  }
};

async function ask(name: string, context: EffectContext, answer: Answer, isOwed: () => boolean) {
  const model = await context.ports.modelFor(name);
  const message = await withinTimeLimit(context, model, (signal) => answer.follow(model, isOwed, signal));
  return { model: message.model ?? model.id, message };
}

/** The engine itself ended a request. */
class RequestTimeout extends PawlError {}

/** A call within the time that the turn gives each; a model that keeps to it by itself is left to. */
async function withinTimeLimit(
  { ports: { clock }, signal, state }: EffectContext,
  model: Model,
  call: (signal: AbortSignal) => Promise<ModelMessage>,
): Promise<ModelMessage> {
  const timeoutMs = state.turn?.options.requestTimeoutMs;
  if (timeoutMs === undefined || model.limitsRequests === true) return call(signal);
  const limit = new AbortController();
  const callOff = clock.at(clock.now() + timeoutMs, () =>
    limit.abort(new RequestTimeout('request_timeout', `The model did not answer within ${timeoutMs} ms.`)),
  );
  const either = AbortSignal.any([signal, limit.signal]);
  try {
    const message = await untilAborted(either, call(either));
    if (message === null) throw either.reason;
    return message;
  } finally {
    callOff();
  }
}

const cancelled = { code: 'cancelled', message: 'The call of the model was stopped.' };

function callIdsOf({ state }: EffectContext): (index: number) => string {
  const { number = 0, step = 0 } = state.turn ?? {};
  return (index) => callId(number, step, index);
}

/** One answer as it comes in. */
class Answer {
  readonly #context: EffectContext;
  readonly #idOf: (index: number) => string;
  readonly #told: Told;
  readonly #turn: { turn: number; step: number };
  #text = '';
  #thinking = '';
  #isStreaming = false;
  readonly #meter = new SpendingMeter();

  constructor(context: EffectContext, idOf: (index: number) => string) {
    this.#context = context;
    this.#idOf = idOf;
    this.#told = toldTo(context.state, context.ports);
    this.#turn = { turn: context.state.turn?.number ?? 0, step: context.state.turn?.step ?? 0 };
  }

  async follow(model: Model, isOwed: () => boolean, signal: AbortSignal): Promise<ModelMessage> {
    const { broadcast, ports, speculation, state } = this.#context;
    const files = await filesOf(state, ports.blobs);
    // The session may have gone on meanwhile: its history is another one then, and nobody waits for this answer.
    if (!isOwed()) throw new PawlError(cancelled.code, cancelled.message);
    const request = { ...buildRequest(state, model, this.#told, files), at: ports.clock.now() };
    refuseUnknown(request);
    const stream = chainRequest(ports.requestMiddleware, (changed, limit) => model.stream(changed, limit));
    broadcast({ type: 'stream.started', data: { ...this.#turn, model: model.id } });
    for await (const event of stream(request, signal)) {
      if (signal.aborted) break;
      this.#meter.follow(event);
      switch (event.type) {
        case 'text':
          this.#note();
          this.#text += event.text;
          broadcast({ type: 'stream.text', data: { text: event.text } });
          break;
        case 'thinking':
          this.#note();
          this.#thinking += event.text;
          broadcast({ type: 'stream.thinking', data: { text: event.text } });
          break;
        case 'input':
          this.#note();
          broadcast({
            type: 'stream.input',
            data: { call: this.#idOf(event.call), tool: event.tool, text: event.text },
          });
          break;
        case 'input_complete': {
          const { call, tool, input } = event;
          speculation.offer({ id: this.#idOf(call), tool, input });
          break;
        }
        case 'activity': {
          const { activity, detail } = event;
          broadcast({ type: 'activity', data: { activity, ...(detail !== undefined && { detail }) } });
          break;
        }
        case 'notice': {
          const { level, code, message } = event;
          broadcast({ type: 'notice', data: { level, code, message } });
          break;
        }
        case 'rollback':
          speculation.discard();
          this.withdraw(event.reason);
          broadcast({ type: 'stream.started', data: { ...this.#turn, model: model.id } });
          break;
        case 'usage':
          break;
        case 'finished':
          return event.message;
        default:
          event satisfies never;
      }
    }
    throw streamCut();
  }

  withdraw(reason: string): void {
    this.#text = '';
    this.#thinking = '';
    this.#context.broadcast({ type: 'stream.withdrawn', data: { ...this.#turn, reason } });
  }

  /** The answer so far without its calls, or null if there is none. */
  soFar(isStopped: boolean): ModelMessage | null {
    const content: ModelPart[] = [];
    if (this.#thinking !== '') content.push({ type: 'thinking', text: this.#thinking });
    if (this.#text !== '') content.push({ type: 'text', text: this.#text });
    if (content.length === 0) return null;
    return { content, stopReason: 'end', ...(this.#meter.spent(isStopped) ?? { usage: noUsage, costUsd: null }) };
  }

  /** What the call cost without an answer, if it reached the model. `isStopped`: the engine ended it. */
  spent(isStopped: boolean): Spent | undefined {
    return this.#meter.spent(isStopped) ?? undefined;
  }

  #note(): void {
    if (this.#isStreaming) return;
    this.#isStreaming = true;
    this.#context.broadcast({ type: 'activity', data: { activity: 'streaming' } });
  }
}

function streamCut(): PawlError {
  return toPawlError(new Error('The model ended its stream without a whole answer.'), 'stream_cut');
}

/** @throws `unknown_tool`: a provider would only say that the request is bad. */
function refuseUnknown({ toolChoice, tools }: ModelRequest): void {
  if (typeof toolChoice !== 'object' || tools.some(({ name }) => name === toolChoice.tool)) return;
  throw new PawlError('unknown_tool', `The tool choice names "${toolChoice.tool}", and there is no such tool.`);
}
