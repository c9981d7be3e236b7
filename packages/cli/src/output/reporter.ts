import type { DurableEvent, PawlEvent, SessionView } from '@pawl/protocol';
import type { ExitCode } from '../exit-codes.ts';
import type { Tally } from '../run/tally.ts';

/** Shows a run in one of the output formats. */
export type Reporter = {
  /** May wait for a slow reader. */
  event(event: PawlEvent): void | Promise<void>;
  /** An event of a task, and whose it is, such as `builder-1`. */
  task?(event: DurableEvent, name: string): void | Promise<void>;
  /** The run is over, one way or another. */
  finish(result: { tally: Tally; view: SessionView; exitCode: ExitCode }): void | Promise<void>;
};
