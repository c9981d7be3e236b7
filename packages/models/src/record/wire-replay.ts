import { PawlError } from '@pawl/protocol';
import type { Connection, WireTap } from '../http/connection.ts';
import { AnsweredRequest } from './answered-request.ts';
import { agreement, firstDifference, type Sent } from './difference.ts';
import { placesHere } from './places.ts';
import type { Places } from './volatile.ts';
import { type Exchange, readWireCassette, type WireHeader } from './wire-cassette.ts';

export type ReplayWireOptions = {
  /** `body` (default) refuses a request that is not a recorded one; `none` plays the exchanges in their order. */
  compare?: 'body' | 'none';
  /** `none` (default) plays the chunks at once, each on its own; `recorded` with the waits between them. */
  timing?: 'none' | 'recorded';
  /** The folders of this run, in place of those of the recorded one. Default: the working directory and the home. */
  places?: Places;
};

/**
 * For `tap` of a wire's options: answers each request with what `recordWire` wrote down, through the same reading, so
 * that a fault in it shows again. Nothing goes over the network; any key will do. Dates, times, budgets and ids may be
 * others than the recorded ones (see `volatile.ts`).
 * @throws `no_cassette`, `bad_cassette`, `cassette_too_new`; when called, `replay_diverged` if a request is not the
 * recorded one, `replay_exhausted` if the recording has no more, and what was recorded as a failure.
 * @example
 * const model = openai({ model: 'gpt-5', apiKey: 'any', tap: replayWire('/tmp/call.jsonl') });
 */
export function replayWire(path: string, options: ReplayWireOptions = {}): WireTap {
  const { header, exchanges } = readWireCassette(path);
  return playing(path, header, exchanges, options);
}

/** As `replayWire`, of a recording that has been read. */
export function playing(
  path: string,
  header: WireHeader,
  exchanges: readonly Exchange[],
  { compare = 'body', timing = 'none', places = placesHere() }: ReplayWireOptions,
): WireTap {
  const left = [...exchanges];
  const sent = ({ body }: Exchange): Sent => ({ body, places: header.places ?? {} });

  /** Sessions at the same time may come in another order, so the body decides. */
  function take(body: string): Exchange {
    const [next] = left;
    if (next === undefined) {
      throw new PawlError('replay_exhausted', `The recording ${path} has no further request. Record it again.`);
    }
    const now = { body, places };
    const found = compare === 'none' ? next : left.find((each) => firstDifference(sent(each), now) === null);
    if (found === undefined) {
      const [closest = next] = left.toSorted((one, other) => agreement(other.body, body) - agreement(one.body, body));
      throw diverged(path, closest, sent(closest), now);
    }
    left.splice(left.indexOf(found), 1);
    return found;
  }

  return (connection) => ({
    ...connection,
    request: (() => new AnsweredRequest(take, timing === 'recorded')) as unknown as Connection['request'],
  });
}

function diverged(path: string, { exchange }: Exchange, recorded: Sent, now: Sent): PawlError {
  const { path: place, was, is } = firstDifference(recorded, now) ?? { path: '', was: null, is: null };
  const where = place === '' ? 'the body' : place;
  const difference =
    was === null
      ? `${where} was not there: “${is}”`
      : is === null
        ? `${where} is missing: “${was}”`
        : `${where} was “${was}” and is “${is}”`;
  return new PawlError(
    'replay_diverged',
    `Request ${exchange} of ${path} is not the recorded one: ${difference}. Restore what it was recorded with, or replay it without comparing requests.`,
  );
}
