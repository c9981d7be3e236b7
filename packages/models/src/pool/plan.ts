/** Plans one call through its rounds: what to try next, how long to wait, and when to give up. Only health is changed. */
import { durationText } from '@pawl/engine/readers/words';
import type { Attempt, PawlError } from '@pawl/protocol';
import { failureDetails, modelError } from '../errors.ts';
import { breakerFailed } from './breaker.ts';
import { type Consequence, type Endpoint, type ModelHealth, type Standing, standingOf } from './endpoint.ts';
import type { Meaning, Policy } from './policy.ts';
import { pauseAfter } from './policy.ts';
import { keyLabel } from './show.ts';
import type { Candidate, Key } from './types.ts';

/** One model with one key, as one pool calls it. */
export type Target = { candidate: Candidate; key: Key | null; modelHealth: ModelHealth };

export type Step =
  | { do: 'try'; target: Target }
  /** `cooling`: all that could be tried rests; `pause`: between two rounds. */
  | { do: 'wait'; why: 'cooling' | 'pause'; until: number; round: number; target: Target }
  | { do: 'end'; error: PawlError };

export type PlanOptions = {
  /** In the order in which they are tried; those of one model stand together. */
  targets: readonly Target[];
  policy: Policy;
  random: () => number;
};

/** Attempts tell what went wrong, not all that a provider had to say about it. */
const maxMessageCharacters = 500;

export class Plan {
  readonly #policy: Policy;
  readonly #random: () => number;
  readonly #targets: readonly Target[];
  readonly #attempts: Attempt[] = [];
  /** Not tried again in this call. */
  readonly #out = new Set<Target>();
  /** Of this round. */
  readonly #tried = new Set<Target>();
  /** Providers that were down whenever this round asked them. */
  readonly #down = new Set<Endpoint>();
  #round = 1;
  #notBefore = 0;
  #cooledMs = 0;
  #last: PawlError | null = null;
  #tooLong: PawlError | null = null;

  constructor({ targets, policy, random }: PlanOptions) {
    this.#targets = targets;
    this.#policy = policy;
    this.#random = random;
  }

  /** What failed so far. */
  get attempts(): readonly Attempt[] {
    return this.#attempts;
  }

  /** Asked again before anything has happened, it answers alike. */
  next(now: number): Step {
    const open = this.#targets
      .map((target) => ({ target, standing: standingOf(target.modelHealth, now) }))
      .filter(isOpen);
    const left = open.filter(({ target }) => !this.#out.has(target));
    if (left.length === 0) return this.#end(this.#tooLong ?? this.#last ?? noneLeft(this.#targets, now));
    if (this.#tried.size > 0 && !left.some((entry) => this.#isFree(entry))) {
      if (this.#round >= this.#policy.rounds) return this.#end(this.#tooLong ?? this.#last ?? noneLeft([], now));
      this.#notBefore = now + pauseAfter(this.#round, this.#policy, this.#random());
      this.#round++;
      this.#tried.clear();
      this.endRound(now);
      return this.next(now);
    }
    const best = bestOf(left.filter((entry) => this.#isFree(entry)));
    const first = best ?? left.reduce((soonest, entry) => (readyAt(entry) < readyAt(soonest) ? entry : soonest));
    const freeAt = best === null ? readyAt(first) : now;
    const until = Math.max(freeAt, this.#notBefore);
    if (until <= now) return { do: 'try', target: first.target };
    const why = freeAt > this.#notBefore ? 'cooling' : 'pause';
    if (why === 'cooling' && this.#cooledMs + until - now > this.#policy.longestWaitMs) {
      return this.#end(this.#tooLong ?? restTooLong(first, until - now, this.#last));
    }
    return { do: 'wait', why, until, round: this.#round, target: first.target };
  }

  /** Counts the round against the providers that were down in it: once, however many keys and models were tried. */
  endRound(now: number): void {
    for (const { breaker } of this.#down) breakerFailed(breaker, now, this.#policy);
    this.#down.clear();
  }

  begins(target: Target): void {
    this.#tried.add(target);
  }

  failed({ candidate, key, modelHealth }: Target, error: PawlError, { meaning, isDown }: Consequence): void {
    this.#last = error;
    if (isDown) this.#down.add(modelHealth.endpoint);
    else this.#down.delete(modelHealth.endpoint);
    const message = error.message.slice(0, maxMessageCharacters);
    this.#attempts.push({
      model: candidate.id,
      ...(key === null ? {} : { key: keyLabel(key) }),
      error: { code: error.code, message },
      waitedMs: 0,
    });
    if (meaning === 'too_long') this.#tooLong = error;
    for (const target of this.#targets) {
      if (rulesOut(meaning, modelHealth, target.modelHealth)) this.#out.add(target);
    }
  }

  succeeded({ modelHealth }: Target): void {
    this.#down.delete(modelHealth.endpoint);
  }

  waited(why: 'cooling' | 'pause', milliseconds: number): void {
    if (why === 'cooling') this.#cooledMs += milliseconds;
    const last = this.#attempts.at(-1);
    if (last !== undefined) last.waitedMs += milliseconds;
  }

  /** `error` with all that was tried. */
  withAttempts(error: PawlError): PawlError {
    const count = this.#attempts.length;
    const sentence =
      count > 1 ? `${error.message} Given up after ${count} requests in ${inRounds(this.#round)}.` : error.message;
    const details = { ...failureDetails(error), attempts: this.#attempts };
    return modelError(error.code, sentence, details, { cause: error });
  }

  #isFree({ target, standing }: OpenTarget): boolean {
    return standing.state !== 'resting' && !this.#tried.has(target);
  }

  #end(error: PawlError): Step {
    return { do: 'end', error: this.withAttempts(error) };
  }
}

type OpenTarget = { target: Target; standing: Exclude<Standing, { state: 'retired' }> };

function isOpen(entry: { target: Target; standing: Standing }): entry is OpenTarget {
  return entry.standing.state !== 'retired';
}

function readyAt({ standing }: OpenTarget): number {
  return standing.state === 'resting' ? standing.until : 0;
}

/** The first model of the list that has a key, with its best key; what is `last` comes after all else. */
function bestOf(free: readonly OpenTarget[]): OpenTarget | null {
  const [first] = free.filter(({ standing }) => standing.state !== 'last');
  if (first === undefined) return free[0] ?? null;
  const sure = free.find(
    ({ target, standing }) => target.candidate === first.target.candidate && standing.state === 'ready',
  );
  return sure ?? first;
}

/** Whether a failure at `failed` rules out `other` for the rest of the call. */
function rulesOut(meaning: Meaning, failed: ModelHealth, other: ModelHealth): boolean {
  switch (meaning) {
    case 'too_long':
    case 'unusable':
      return other.model === failed.model && other.endpoint === failed.endpoint;
    case 'no_credit':
      return other.keyHealth === failed.keyHealth;
    // These are ruled out by what is known of their health, or not at all.
    case 'key_refused':
    case 'model_missing':
    case 'transient':
    case 'final':
      return false;
    default:
      return meaning satisfies never;
  }
}

/** Nothing was tried, because all of it had been given up before. */
function noneLeft(targets: readonly Target[], now: number): PawlError {
  for (const { modelHealth } of targets) {
    const standing = standingOf(modelHealth, now);
    if (standing.state === 'retired') {
      const { code, message } = standing.error;
      return modelError(code, `${message} It is not asked again in this process.`, {}, { cause: standing.error });
    }
  }
  return modelError('overloaded', 'No model of this pool can be asked. Try again later.');
}

function restTooLong({ target, standing }: OpenTarget, waitMs: number, last: PawlError | null): PawlError {
  const { code, why } = standing.state === 'resting' ? standing : { code: 'overloaded', why: 'it rests' };
  const who = target.key === null ? target.candidate.provider.name : `key ${keyLabel(target.key)}`;
  const sentence = `All that could be asked rests. The first to be ready is ${who} for ${target.candidate.id}, in ${durationText(waitMs)}: ${why}. Try again then, or add another key or model.`;
  return modelError(
    code === 'rate_limited' ? code : 'overloaded',
    sentence,
    { retryAfterMs: waitMs },
    last === null ? undefined : { cause: last },
  );
}

const inRounds = (rounds: number): string => (rounds === 1 ? 'one round' : `${rounds} rounds`);
