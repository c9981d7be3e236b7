/** The answer to a command. */
import type { Command, EventBody } from '@pawl/protocol';

/** A command with the fingerprint of its content, which tells a repetition from another command under the same id. */
export type FingerprintedCommand = Command & { digest: string };

export type Refusal = { type: 'refused'; code: string; message: string };

export type Decision =
  | { type: 'accepted'; events: EventBody[] }
  /** Accepted before; `seq` is the last event that it caused. */
  | { type: 'duplicate'; seq: number }
  | Refusal;

export const accept = (...events: EventBody[]): Decision => ({ type: 'accepted', events });
export const refuse = (code: string, message: string): Refusal => ({ type: 'refused', code, message });
