/** What a run did itself, where other terminals have the same session do other things behind it. */
import type { DurableEvent } from '@pawl/protocol';
import { count, countDenials, createTally, type Tally } from './tally.ts';

export type OwnTurns = {
  /** Told every event of the session's own. */
  event(event: DurableEvent): void;
  /** Told the events of tasks, with the task's name. */
  taskEvent(event: DurableEvent, task: string): void;
  /** Of the run's own turns. */
  tally(): Tally;
  /** Whether the turn that runs, or ran last, began with an input that somebody else sent during the run. */
  isOthers(): boolean;
};

/** `input` is what the run begins with; null where it goes on with what is owed. */
export function createOwnTurns(input: string | null): OwnTurns {
  const sentByOthers = new Set<string>();
  let own = createTally();
  /** What happens now; thrown away when it was a turn of others. */
  let current = own;
  let isOthers = false;
  return {
    event(event) {
      // What its tasks write to it belongs to its own work.
      const isPersons = event.by.kind === 'human';
      if (event.type === 'input.queued' && isPersons && event.data.input !== input) sentByOthers.add(event.data.input);
      if (event.type === 'turn.started') {
        if (!isOthers) own = current;
        current = copyOf(own);
        isOthers = event.data.input !== undefined && sentByOthers.has(event.data.input);
      }
      count(current, event);
    },
    taskEvent: (event, task) => countDenials(current, event, task),
    tally: () => (isOthers ? own : current),
    isOthers: () => isOthers,
  };
}

const copyOf = (tally: Tally): Tally => ({ ...tally, denials: [...tally.denials], calls: new Map(tally.calls) });
