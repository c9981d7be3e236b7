import type { Json, LoopStatus } from '@pawl/protocol';

/** The loop of a turn with a target. An iteration lasts until the agent comes to rest or says that it is done. */
export type Loop = {
  status: LoopStatus;
  /** From 1. */
  iteration: number;
  maxIterations: number;
  verify: string | null;
  /** This iteration has changed something. */
  hasProgressed: boolean;
  /** Iterations in a row before this one that changed nothing. */
  iterationsWithoutProgress: number;
  /** Why the agent has to be told to go on. */
  restReason: { kind: 'answer' } | { kind: 'refused_end' } | { kind: 'failed_check'; output: string } | null;
  /** The end that the agent proposes, until it is accepted or refused. */
  proposed: { message: string; result?: Json } | null;
  /** The proposed end is accepted: the agent has looked a second time, or the check passed. */
  isAssessed: boolean;
};

/** The loop of the turn; null without a target. */
export type TurnTarget = { loop: Loop | null };
