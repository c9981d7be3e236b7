/** What is answered to a command. */
import type { Command, EventBody } from '@pawl/protocol';

/** A command with the fingerprint of its content, by which a repetition is told from a reuse of its id. */
export type FingerprintedCommand = Command & { digest: string };

export type Refusal = { type: 'refused'; code: string; message: string };

export type Decision =
  | { type: 'accepted'; events: EventBody[] }
  /** Accepted before; `seq` is the last event it caused then. */
  | { type: 'duplicate'; seq: number }
  | Refusal;

export const accept = (...events: EventBody[]): Decision => ({ type: 'accepted', events });
export const refuse = (code: string, message: string): Refusal => ({ type: 'refused', code, message });
