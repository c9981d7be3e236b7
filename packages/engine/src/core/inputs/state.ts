import type { Actor, InputDelivery, TurnOptions, UserPart } from '@pawl/protocol';

export type QueuedInput = {
  id: string;
  delivery: InputDelivery;
  content: UserPart[];
  /** What it asks of the turn that it starts. */
  options: TurnOptions;
  /** It tells how to do the work: it steers, interrupts or gives feedback. */
  isSteering: boolean;
  by: Actor;
};

export type InputsState = {
  queue: QueuedInput[];
  /** Queued inputs wait until another one is sent. */
  isHeld: boolean;
  /** The first input: what the session is for. */
  task: string | null;
  /** The latest input of a person that started a turn. */
  latestRequest: string | null;
};

export const initialInputs = (): InputsState => ({ queue: [], isHeld: false, task: null, latestRequest: null });
