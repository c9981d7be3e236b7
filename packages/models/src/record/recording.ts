import { PawlError } from '@pawl/protocol';
import type { WireTap } from '../http/connection.ts';
import { type RecordedProviders, readWireCassette } from './wire-cassette.ts';
import { playing, type ReplayWireOptions } from './wire-replay.ts';

export { placesHere } from './places.ts';

/** A recording to be played as a model: the name of the model whose it is, and what answers in its provider's place. */
export type Recording = { model: string; providers: RecordedProviders; tap: WireTap };

/** @throws as `replayWire`; `bad_cassette` for one that does not say of which model it is. */
export function openRecording(path: string, options: ReplayWireOptions = {}): Recording {
  const { header, exchanges } = readWireCassette(path);
  const { model, providers = {} } = header;
  if (model === undefined) {
    throw new PawlError(
      'bad_cassette',
      `${path} does not say of which model it is, so it cannot be one. Record it with pawl run --record.`,
    );
  }
  return { model, providers, tap: playing(path, header, exchanges, options) };
}
