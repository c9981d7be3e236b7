import type { Call } from '../core/index.ts';
import type { Ran } from './effects/ended.ts';

/** A call as the stream has it. */
export type Early = Pick<Call, 'id' | 'tool' | 'input'>;

/** Calls of an answer that still streams: judged, and run where that is free. */
export type EarlyCalls = {
  /** A call of the answer that streams is whole. Calls come in their order. */
  offer(early: Early): void;
  /** The answer is whole: resolves when what needs no waiting for the world outside is done. Nothing more is begun. */
  close(): Promise<void>;
  /** Throws everything away; what is offered next is another answer's. */
  discard(): void;
  /** The run of this call, if it was begun early with these arguments and judged the same. What differs is thrown away. */
  take(call: Call, signal: AbortSignal): Promise<Ran> | null;
};
