/** Several models and keys as one model, which answers as long as any of them does. */
import type { Clock, Model, ModelEvent, ModelRequest } from '@pawl/engine';
import type { Message, ModelInfo } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import { PooledCall } from './call.ts';
import { keyOrder } from './endpoint.ts';
import { createHealth, type Health } from './health.ts';
import { isolatedCopies } from './isolated-copies.ts';
import type { Target } from './plan.ts';
import { defaultPolicy, type Policy } from './policy.ts';
import type { Candidate, Key } from './types.ts';

export type PoolOptions = {
  /** What people select: the pool's name, or the id of its only candidate. */
  id: string;
  /** In order of preference. */
  candidates: readonly Candidate[];
  /** Shared by all pools of a process; default is one of its own. */
  health?: Health;
  /** Default: that of `health`. */
  clock?: Clock;
  /** From 0 to 1, for jitter and random order; default `Math.random`. */
  random?: () => number;
  policy?: Partial<Policy>;
};

/** How long a provider keeps what it cached of a conversation (https://platform.claude.com/docs/en/build-with-claude/prompt-caching). */
const cacheMs = 300_000;

/**
 * A model that hands each call to the first of its candidates that can answer, with retries, waits and switches as
 * `policy.ts` says. Each of them is told by a `notice` and an `activity`; what was tried stands in the answer's
 * `attempts`, or in the error's details.
 *
 * A conversation stays with the model and key that answered it last for as long as that keeps its prompt cache and its
 * signed thinking: within a turn, and while the cache lives. A new input of the user starts at the head of the chain
 * again, because a turn is the least that a switch can cost and the head is what was asked for.
 * @throws `bad_config` without candidates; when called, the codes of `errors.ts` and `http/failure.ts`.
 */
export function poolModel(options: PoolOptions): Model {
  const { id, candidates, random = Math.random } = options;
  const [head] = candidates;
  if (head === undefined) throw new PawlError('bad_config', `The pool ${id} names no model: give it at least one.`);
  const health = options.health ?? createHealth(options.clock === undefined ? {} : { clock: options.clock });
  const clock = options.clock ?? health.clock;
  const policy = { ...defaultPolicy, ...options.policy };
  const targets = new Map(candidates.map((candidate) => [candidate, targetsOf(candidate, health)]));
  const models = new Map<Target, Model>();
  /** By its first message, which no two conversations share, and which a compaction replaces. */
  const answered = new WeakMap<Message, { target: Target; at: number }>();

  function modelOf(target: Target): Model {
    let model = models.get(target);
    if (model === undefined) {
      const { candidate, key, modelHealth } = target;
      model = candidate.open(key, (headers) => health.observe(modelHealth, headers), health.refusals(modelHealth));
      models.set(target, model);
    }
    return model;
  }

  /** All targets in the order of one call; `stay` comes first. */
  function inOrder(stay: Target | null): Target[] {
    const orders = new Map<Target['modelHealth']['endpoint'], readonly (Key | null)[]>();
    const order: Target[] = [];
    for (const [{ provider }, own] of targets) {
      const [first] = own;
      if (first === undefined) continue;
      const { endpoint } = first.modelHealth;
      const keys = orders.get(endpoint) ?? keyOrder(endpoint, provider, random);
      orders.set(endpoint, keys);
      for (const key of keys) {
        const target = own.find((target) => target.key?.secret === key?.secret);
        if (target !== undefined) order.push(target);
      }
    }
    if (stay === null) return order;
    const isSame = (target: Target) => target.candidate === stay.candidate;
    const takesTurns = stay.candidate.provider.rotation === 'per_request';
    const own = order.filter((target) => isSame(target) && (takesTurns || target !== stay));
    return [...(takesTurns ? [] : [stay]), ...own, ...order.filter((target) => !isSame(target))];
  }

  return {
    id,
    get info() {
      return infoOf(head, candidates);
    },
    limitsRequests: true,
    stream(request, signal): AsyncIterable<ModelEvent> {
      const [first] = request.messages;
      const before = first === undefined ? undefined : answered.get(first);
      const isWarm = before !== undefined && clock.now() - before.at < cacheMs && !startsTurn(request);
      const shared = inOrder(isWarm ? before.target : null);
      // What happens to a summary says nothing of the turn's own calls.
      const copies = request.purpose === 'compaction' ? isolatedCopies(shared) : null;
      const order = copies === null ? shared : [...copies.keys()];
      return new PooledCall({
        id,
        request,
        signal,
        order,
        before: before?.target ?? null,
        health,
        clock,
        policy,
        random,
        modelOf: (target) => modelOf(copies?.get(target) ?? target),
        onAnswer(target) {
          if (first !== undefined) answered.set(first, { target, at: clock.now() });
        },
      });
    },
  };
}

function targetsOf(candidate: Candidate, health: Health): Target[] {
  const { keys } = candidate.provider;
  const all: readonly (Key | null)[] = keys.length === 0 ? [null] : keys;
  return all.map((key) => ({ candidate, key, modelHealth: health.of(candidate, key) }));
}

/** What holds whichever candidate answers: the window of the first, but a price only if all have one. */
function infoOf({ info }: Candidate, candidates: readonly Candidate[]): ModelInfo {
  const { leastInputUsdPerMillion: _, ...rest } = info;
  const least = candidates.map((candidate) => candidate.info.leastInputUsdPerMillion ?? Number.NaN);
  const cheapest = Math.min(...least);
  return {
    ...rest,
    isPriceKnown: candidates.every((candidate) => candidate.info.isPriceKnown),
    ...(Number.isNaN(cheapest) ? {} : { leastInputUsdPerMillion: cheapest }),
  };
}

/** Whether the model is asked for the first time since the user said something. */
function startsTurn({ messages }: ModelRequest): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && last.source === 'input';
}
