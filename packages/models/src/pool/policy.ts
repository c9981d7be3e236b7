/**
 * What is done about a failed call: the whole policy on one page. A call goes through rounds; a round tries each
 * model with each usable key once. Between rounds it pauses; what asks for a rest gets it.
 */
import type { PawlError } from '@pawl/protocol';
import { failureDetails, isTransientFailure } from '../errors.ts';

export type Policy = {
  /** Rounds of one call; default 5. */
  rounds: number;
  /** The pause after the first round, doubled after each further one; default 1 s. */
  firstPauseMs: number;
  longestPauseMs: number;
  /** The share by which a pause is made longer or shorter by chance; default 0.2. */
  jitter: number;
  /** Longest rest that a provider can ask of a key; default a day. */
  longestRestMs: number;
  /** When all rest: the longest that one call waits for the first, in all; default 10 min. */
  longestWaitMs: number;
  /** For how long a key without credit is asked only when nothing else is left; default 10 min. */
  noCreditMs: number;
  /** A provider is left alone after this many rounds in a row that it failed; default 5. */
  breakerFailures: number;
  /** For how long it is left alone at first, doubled with each further failure; default 10 s. */
  breakerWaitMs: number;
  breakerLongestWaitMs: number;
};

export const defaultPolicy: Policy = {
  rounds: 5,
  firstPauseMs: 1000,
  longestPauseMs: 30_000,
  jitter: 0.2,
  longestRestMs: 86_400_000,
  longestWaitMs: 600_000,
  noCreditMs: 600_000,
  breakerFailures: 5,
  breakerWaitMs: 10_000,
  breakerLongestWaitMs: 120_000,
};

export type Meaning =
  /** May be gone at the next try. */
  | 'transient'
  /** The account behind the key is empty; another key may do. */
  | 'no_credit'
  /** The key is never used again in this process. */
  | 'key_refused'
  /** The model is never asked for again in this process. */
  | 'model_missing'
  /** Another model may have a larger window, or take a larger request. */
  | 'too_long'
  /** There is no model at this address, or no way to it; another model may be elsewhere. */
  | 'unusable'
  /** The same everywhere: a mistake in the request, or a cancel. */
  | 'final';

/** What a failure means for the call, the key and the model. */
export function meaningOf(error: PawlError): Meaning {
  if (isTransientFailure(error)) return 'transient';
  switch (error.code) {
    case 'quota_exceeded':
      return 'no_credit';
    case 'unauthorized':
    case 'no_key':
      return 'key_refused';
    case 'not_found':
      return 'model_missing';
    case 'context_overflow':
    case 'request_too_large':
      return 'too_long';
    case 'unknown_host':
    case 'untrusted_certificate':
    case 'not_a_model':
      return 'unusable';
    default:
      return 'final';
  }
}

/** How long the provider asks this key to rest, or 0. */
export function restOf(error: PawlError, policy: Policy): number {
  if (!isTransientFailure(error)) return 0;
  return Math.min(failureDetails(error).retryAfterMs ?? 0, policy.longestRestMs);
}

/** The pause after round `round`, counted from 1. `chance` is from 0 to 1. */
export function pauseAfter(round: number, policy: Policy, chance: number): number {
  const pause = Math.min(policy.firstPauseMs * 2 ** (round - 1), policy.longestPauseMs);
  return pause * (1 + policy.jitter * (2 * chance - 1));
}

const downCodes: ReadonlySet<string> = new Set([
  'connection_failed',
  'connection_lost',
  'connect_timeout',
  'first_byte_timeout',
  'server_error',
  'overloaded',
]);

/** Whether the failure tells that the provider itself is down, rather than this request, key or model refused. */
export function isDown(error: PawlError): boolean {
  const { status } = failureDetails(error);
  return downCodes.has(error.code) && (status === undefined || status >= 500);
}
