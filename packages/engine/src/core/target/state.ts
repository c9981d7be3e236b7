import type { Json, LoopStatus } from '@pawl/protocol';

/** A turn that works toward a target: an iteration lasts until the agent comes to rest or says that it is done. */
export type Loop = {
  status: LoopStatus;
  /** From 1. */
  iteration: number;
  maxIterations: number;
  verify: string | null;
  /** Something was changed in this iteration. */
  hasProgressed: boolean;
  /** Iterations in a row, before this one, in which nothing was. */
  iterationsWithoutProgress: number;
  /** Why the agent has to be told to go on. */
  restReason: { kind: 'answer' } | { kind: 'refused_end' } | { kind: 'failed_check'; output: string } | null;
  /** The end that its agent put forward, until it is accepted or not. */
  proposed: { message: string; result?: Json } | null;
  /** The next end that is put forward counts: it was asked for a second look, or the check passed. */
  isAssessed: boolean;
};

/** What a turn works toward, if it does. */
export type TurnTarget = { loop: Loop | null };
