import type { IncomingHttpHeaders } from 'node:http';
import type { Model } from '@pawl/engine';
import type { ModelInfo } from '@pawl/protocol';
import { withoutVariant } from '../select/names.ts';
import type { Refusals } from '../wires/options.ts';
import type { CreditEndpoint } from './credit.ts';

/** One of a provider's keys. `name` tells it from others in what people see: the variable it came from, say. */
export type Key = { name: string; secret: string };

/** Someone who answers requests: an address, the keys for it, and how much it may be asked. */
export type Provider = {
  name: string;
  baseUrl: string;
  /** None for a server that wants no key. */
  keys: readonly Key[];
  /** Another key after a failure (default), or for every request. */
  rotation?: 'on_failure' | 'per_request';
  /** Which key comes first, and which after it; default `sequential`. */
  order?: 'sequential' | 'random';
  /** Requests that may begin within any 60 seconds; calls beyond it wait in a queue. */
  requestsPerMinute?: number;
  /** Requests under way at once; calls beyond it wait in the same queue. */
  concurrency?: number;
  /** Where it tells what is left of an account, if it does. */
  credit?: CreditEndpoint;
};

/** One model at one provider; with a key it is something that can be called. */
export type Candidate = {
  /** `provider/model` or `provider/model@variant`, as people select it. */
  id: string;
  provider: Provider;
  info: ModelInfo;
  /** Called once for each key and pool. `onHeaders` sees the head of each answer; `refusals` is shared by all of the key. */
  open(key: Key | null, onHeaders: (headers: IncomingHttpHeaders) => void, refusals?: Refusals): Model;
};

/** `provider/model`: variants of a model share its fate. */
export function modelOf(candidate: Pick<Candidate, 'id'>): string {
  return withoutVariant(candidate.id);
}
