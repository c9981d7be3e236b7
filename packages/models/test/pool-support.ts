/** Clocks that a test moves, and candidates: over the real wire, or made of a script. */
import type { Clock, Model, ModelEvent, ModelMessage } from '@pawl/engine';
import { modelError } from '../src/errors.ts';
import type { Candidate, Key, Provider } from '../src/pool/types.ts';
import type { WireAnswer, WireRequest } from '../src/testing/index.ts';
import { anthropic } from '../src/wires/anthropic/index.ts';
import { noUsage } from './support.ts';

export const info = { contextTokens: 200_000, outputTokens: 8000, isPriceKnown: true };

export type LeapingClock = Clock & { waits: number[]; move(milliseconds: number): void };

/** A wait is over as soon as nothing else happens; how long it was to be stands in `waits`. */
export function leapingClock(start = Date.parse('2030-01-01T00:00:00Z')): LeapingClock {
  let now = start;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    move(milliseconds) {
      now += milliseconds;
    },
    at(at, call) {
      waits.push(at - now);
      const soon = setImmediate(() => {
        now = Math.max(now, at);
        call();
      });
      return () => clearImmediate(soon);
    },
  };
}

export type HandClock = Clock & { pending(): number[]; advance(milliseconds: number): Promise<void> };

/** Time that stands still until it is moved. `pending` are the waits under way. */
export function handClock(start = Date.parse('2030-01-01T00:00:00Z')): HandClock {
  let now = start;
  let timers: { at: number; call: () => void }[] = [];
  return {
    now: () => now,
    at(at, call) {
      const timer = { at, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    pending: () => timers.map(({ at }) => at - now),
    async advance(milliseconds) {
      const until = now + milliseconds;
      await settled();
      for (;;) {
        const [next] = timers.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at);
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        now = Math.max(now, next.at);
        next.call();
        await settled();
      }
      now = until;
    },
  };
}

/** All that follows at once from what has happened has happened. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export const key = (name: string): Key => ({ name, secret: `sk-test-${name}-0123456789-${name}-abcd` });

export function provider(name: string, keys: readonly string[], more: Partial<Provider> = {}): Provider {
  return { name, baseUrl: 'http://localhost:1', keys: keys.map(key), ...more };
}

/** A candidate that speaks to `url` over the Messages wire. */
export function wireCandidate(
  id: string,
  from: Provider,
  more: Partial<Parameters<typeof anthropic>[0]> = {},
): Candidate {
  return {
    id,
    provider: from,
    info,
    open: (opened, onHeaders) =>
      anthropic({
        model: id.slice(id.indexOf('/') + 1),
        baseUrl: from.baseUrl,
        environment: {},
        onHeaders,
        ...(opened === null ? {} : { apiKey: opened.secret }),
        ...more,
      }),
  };
}

/** Who asked for what: `a/k1`. */
export function askedOf({ model, headers }: WireRequest): string {
  const secret = String(headers['x-api-key'] ?? '');
  return `${model}/${/^sk-test-(\w+)-/.exec(secret)?.[1] ?? 'none'}`;
}

/** Answers by model and key, the last of each for ever; what is not named answers with its own name. */
export function answersBy(faults: { readonly [asked: string]: WireAnswer | readonly WireAnswer[] }) {
  const counts = new Map<string, number>();
  return (request: WireRequest): WireAnswer => {
    const asked = askedOf(request);
    const count = counts.get(asked) ?? 0;
    counts.set(asked, count + 1);
    const list = [faults[asked] ?? faults[request.model] ?? []].flat();
    return list[Math.min(count, list.length - 1)] ?? { text: `${asked} answers.` };
  };
}

export const message: ModelMessage = {
  content: [{ type: 'text', text: 'ok' }],
  stopReason: 'end',
  usage: noUsage,
  costUsd: 0,
};

/** What a scripted candidate does when it is called: answers, or fails, perhaps after some text. */
export type Deed = { code?: string; status?: number; retryAfterMs?: number; text?: string; isThrown?: boolean };

/** A candidate without a network. `asked` is told of each call. */
export function scriptedCandidate(
  id: string,
  from: Provider,
  deed: (key: Key | null) => Deed,
  asked: (id: string, key: Key | null) => void = () => undefined,
): Candidate {
  return {
    id,
    provider: from,
    info,
    open: (opened): Model => ({
      id,
      info,
      stream(_request, signal) {
        asked(id, opened);
        const { code, status, retryAfterMs, text, isThrown = false } = deed(opened);
        const error =
          code === undefined
            ? null
            : modelError(code, `It failed: ${code}.`, {
                ...(status === undefined ? {} : { status }),
                ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
              });
        if (isThrown && error !== null) throw error;
        return events(text, error, signal);
      },
    }),
  };
}

async function* events(text: string | undefined, error: Error | null, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  if (text !== undefined) yield { type: 'text', text };
  if (error !== null) throw error;
  signal.throwIfAborted();
  yield { type: 'finished', message };
}

export const noticesOf = (events: readonly ModelEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.message] : []));
export const codesOf = (events: readonly ModelEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'notice' ? [event.code] : []));
