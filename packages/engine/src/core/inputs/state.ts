import type { Actor, InputDelivery, TurnOptions, UserPart } from '@pawl/protocol';

export type QueuedInput = {
  id: string;
  delivery: InputDelivery;
  content: UserPart[];
  /** What it asks of the turn that it starts. */
  options: TurnOptions;
  /** It says how the work should be done: it steers, interrupts or gives feedback. */
  isSteering: boolean;
  by: Actor;
};

export type InputsState = {
  queue: QueuedInput[];
  /** Queued inputs wait for the next one that is sent. */
  isHeld: boolean;
  /** The first input: what the session is for. */
  task: string | null;
  /** What a person asked for last, where that began a turn. */
  latestRequest: string | null;
};

export const initialInputs = (): InputsState => ({ queue: [], isHeld: false, task: null, latestRequest: null });
