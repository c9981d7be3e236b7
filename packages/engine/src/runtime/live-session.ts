import type { Command, Receipt } from '@pawl/protocol';
import type { State } from '../core/index.ts';
import type { Bus } from './bus.ts';

/** A session that is driven in this process, as those see it who work beside it. */
export type LiveSession = {
  readonly id: string;
  readonly bus: Bus;
  /** Nothing is driven here any more: it was closed, or another process has it. */
  readonly hasEnded: boolean;
  /** Resolves when the command's events are durable. @throws what the command is refused with. */
  command(command: Command): Promise<Receipt>;
  /** What the state says once all that was submitted before is done. */
  look<Value>(read: (state: Readonly<State>) => Value): Promise<Value>;
};
