import type { Clock, Model, ModelEvent, ModelMessage, ModelRequest } from '@pawl/engine';
import { untilAborted } from '@pawl/engine/waiting';
import { isPawlError, PawlError, toPawlError } from '@pawl/protocol';
import { modelError } from '../errors.ts';
import { standingOf } from './endpoint.ts';
import type { Health } from './health.ts';
import { detourEvents, failureEvents, queueEvent, returnEvent, waitEvents } from './notices.ts';
import { Plan, type Target } from './plan.ts';
import type { Policy } from './policy.ts';
import { type RequestLimit, requestLimit } from './request-limit.ts';
import { waitUntil } from './wait.ts';

export type CallOptions = {
  /** Of the pool. */
  id: string;
  request: ModelRequest;
  signal: AbortSignal;
  /** All that may be tried, in order. */
  order: readonly Target[];
  /** What answered this conversation last. */
  before: Target | null;
  health: Health;
  clock: Clock;
  policy: Policy;
  random: () => number;
  modelOf(target: Target): Model;
  onAnswer(target: Target): void;
};

type Result = IteratorResult<ModelEvent>;

/**
 * One call of a pool. While an answer comes, its events are handed on as they are; only at a failure does the plan
 * decide anew. By hand and not as a generator, which would cost three promises an event where this costs one.
 */
export class PooledCall implements AsyncIterableIterator<ModelEvent> {
  readonly #options: CallOptions;
  readonly #plan: Plan;
  /** To be said before anything else happens. */
  readonly #said: ModelEvent[] = [];
  #inner: AsyncIterator<ModelEvent> | null = null;
  #target: Target | null = null;
  #hasBegun = false;
  /** Something was streamed that a new try makes void. */
  #hasStreamed = false;
  /** The failure of which the stream is void. */
  #failure = '';
  /** The wait that was announced. */
  #announcedUntil = 0;
  #queuedFor: Target | null = null;
  #hasEntered = false;
  #hasAnswered = false;
  /** Ends this try when its time is up. */
  #limit: RequestLimit | null = null;
  #isOver = false;
  /** Ends a wait. */
  readonly #left = new AbortController();

  constructor(options: CallOptions) {
    this.#options = options;
    this.#plan = new Plan({ targets: options.order, policy: options.policy, random: options.random });
  }

  next(): Promise<Result> {
    const event = this.#said.shift();
    if (event !== undefined) return Promise.resolve({ value: event, done: false });
    if (this.#isOver) return Promise.resolve({ value: undefined, done: true });
    if (this.#inner === null) return this.#advance();
    if (this.#hasAnswered) return this.#finish(this.#inner);
    const next = this.#inner.next();
    return (this.#limit === null ? next : this.#limit.race(next)).then(this.#onResult, this.#onFailure);
  }

  async return(): Promise<Result> {
    const inner = this.#inner;
    this.#end();
    this.#left.abort();
    await inner?.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  readonly #onResult = (result: Result): Result | Promise<Result> => {
    if (result.done === true) {
      return this.#onFailure(modelError('stream_cut', 'The model ended its stream without a whole answer. Try again.'));
    }
    switch (result.value.type) {
      case 'text':
      case 'thinking':
      case 'input':
      case 'input_complete':
        this.#hasStreamed = true;
        return result;
      case 'rollback':
        this.#hasStreamed = false;
        return result;
      case 'finished':
        return { value: { type: 'finished', message: this.#answer(result.value.message) }, done: false };
      case 'usage':
      case 'activity':
      case 'notice':
        return result;
      default:
        return result.value satisfies never;
    }
  };

  readonly #onFailure = (thrown: unknown): Promise<Result> => {
    const { health, clock, signal, policy } = this.#options;
    const target = this.#target;
    this.#inner = null;
    this.#leaveGate();
    this.#endLimit();
    if (signal.aborted) return this.#give(isPawlError(thrown, 'cancelled') ? thrown : cancelled(signal));
    if (this.#isOver) return Promise.resolve({ value: undefined, done: true });
    const error = toPawlError(thrown, 'model_failed');
    if (target === null) return this.#give(error);
    const consequence = health.failed(target.modelHealth, error, policy);
    this.#plan.failed(target, error, consequence);
    if (consequence.meaning === 'final') return this.#give(this.#plan.withAttempts(error));
    const now = clock.now();
    const next = this.#plan.next(now);
    if (next.do === 'end') return this.#give(next.error);
    this.#failure = error.message;
    this.#said.push(...failureEvents(target, error, consequence, next, now));
    if (next.do === 'wait') this.#announcedUntil = next.until;
    return this.next();
  };

  /** Does what the plan says: waits, or begins a try. What has to be said first is said first. */
  async #advance(): Promise<Result> {
    const { health, clock, signal } = this.#options;
    if (health.loading !== null) await untilAborted(signal, health.loading);
    for (;;) {
      if (this.#isOver) return { value: undefined, done: true };
      if (signal.aborted) return this.#give(cancelled(signal));
      const now = clock.now();
      const next = this.#plan.next(now);
      switch (next.do) {
        case 'end':
          return this.#give(next.error);
        case 'wait': {
          if (next.until !== this.#announcedUntil) {
            this.#announcedUntil = next.until;
            return this.#say(waitEvents(next, standingOf(next.target.modelHealth, now), now));
          }
          await this.#wait(next.until, next.why === 'cooling');
          this.#plan.waited(next.why, clock.now() - now);
          continue;
        }
        case 'try': {
          const detour = this.#detour(next.target, now);
          if (detour.length > 0) return this.#say(detour);
          const { gate } = next.target.modelHealth.endpoint;
          if (!gate.tryEnter()) {
            if (this.#queuedFor !== next.target) {
              this.#queuedFor = next.target;
              return this.#say([queueEvent(next.target)]);
            }
            this.#queuedFor = null;
            if (!(await gate.enter(AbortSignal.any([signal, this.#left.signal])))) continue;
            const { state } = standingOf(next.target.modelHealth, clock.now());
            if (this.#isOver || signal.aborted || state === 'resting' || state === 'retired') {
              gate.leave();
              continue;
            }
          }
          this.#hasEntered = true;
          return this.#begin(next.target);
        }
        default:
          return next satisfies never;
      }
    }
  }

  #begin(target: Target): Promise<Result> {
    const { request, signal, modelOf } = this.#options;
    this.#target = target;
    this.#plan.begins(target);
    this.#options.health.begins(target.modelHealth);
    try {
      this.#limit = requestLimit(request.timeoutMs, target.candidate.id, this.#options.clock, signal);
      const sent = { ...fitted(request, target), at: this.#options.clock.now() };
      const stream = modelOf(target).stream(sent, this.#limit?.signal ?? signal);
      this.#inner = stream[Symbol.asyncIterator]();
    } catch (error) {
      return this.#onFailure(error);
    }
    if (!this.#hasStreamed) return this.next();
    this.#hasStreamed = false;
    return this.#say([{ type: 'rollback', reason: this.#failure }]);
  }

  /** What there is to tell when a call begins with something else than people may think. */
  #detour(target: Target, now: number): ModelEvent[] {
    if (this.#hasBegun) return [];
    this.#hasBegun = true;
    const { order, before } = this.#options;
    const wanted = order.find(({ modelHealth }) => standingOf(modelHealth, now).state !== 'retired');
    if (wanted !== undefined && wanted !== target) {
      return detourEvents(wanted, target, standingOf(wanted.modelHealth, now), now);
    }
    if (before === null || before.candidate === target.candidate) return [];
    return [returnEvent(before.candidate.id, target.candidate.id)];
  }

  #answer(message: ModelMessage): ModelMessage {
    const { id, health, onAnswer } = this.#options;
    this.#hasAnswered = true;
    this.#leaveGate();
    this.#endLimit();
    const target = this.#target;
    if (target === null) return message;
    this.#plan.succeeded(target);
    health.succeeded(target.modelHealth);
    onAnswer(target);
    const model = message.model ?? target.candidate.id;
    const { attempts } = this.#plan;
    if (model === (message.model ?? id) && attempts.length === 0) return message;
    return { ...message, model, ...(attempts.length === 0 ? {} : { attempts }) };
  }

  /** After the answer nothing counts but that the model comes to its end. */
  async #finish(inner: AsyncIterator<ModelEvent>): Promise<Result> {
    this.#end();
    await inner.return?.();
    return { value: undefined, done: true };
  }

  #say(events: readonly ModelEvent[]): Promise<Result> {
    this.#said.push(...events);
    return this.next();
  }

  async #wait(until: number, canEndEarly: boolean): Promise<void> {
    const { clock, signal, health } = this.#options;
    const either = AbortSignal.any([signal, this.#left.signal]);
    await waitUntil(until, clock, either, canEndEarly ? health.onRecovery : () => () => undefined);
  }

  /** The call fails. */
  #give(error: PawlError): Promise<never> {
    this.#end();
    return Promise.reject(error);
  }

  #end(): void {
    if (!this.#isOver) this.#plan.endRound(this.#options.clock.now());
    this.#isOver = true;
    this.#inner = null;
    this.#said.length = 0;
    this.#leaveGate();
    this.#endLimit();
  }

  #endLimit(): void {
    this.#limit?.end();
    this.#limit = null;
  }

  #leaveGate(): void {
    if (!this.#hasEntered) return;
    this.#hasEntered = false;
    this.#target?.modelHealth.endpoint.gate.leave();
  }
}

/** The same request, unless it asks for a longer answer than this model can give. */
function fitted(request: ModelRequest, { candidate }: Target): ModelRequest {
  const { outputTokens } = candidate.info;
  return request.maxOutputTokens > outputTokens ? { ...request, maxOutputTokens: outputTokens } : request;
}

function cancelled(signal: AbortSignal): PawlError {
  return new PawlError('cancelled', 'The call was cancelled.', { cause: signal.reason });
}
