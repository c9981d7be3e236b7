import type { Call } from '../core/index.ts';
import type { Ran } from './effects/ended.ts';

/** A call from an answer that still streams. */
export type EarlyCall = Pick<Call, 'id' | 'tool' | 'input'>;

/** Calls of an answer that still streams: they are judged, and run if they only read and need no approval. */
export type EarlyCalls = {
  /** A call of the answer that streams is whole. Calls come in their order. */
  offer(early: EarlyCall): void;
  /** The answer is whole: resolves when all that finishes at once is done. Nothing more is started. */
  close(): Promise<void>;
  /** Throws everything away; what is offered next is another answer's. */
  discard(): void;
  /** The run of this call, if it was started early with the same arguments and the same judgement; otherwise null. */
  take(call: Call, signal: AbortSignal): Promise<Ran> | null;
};
