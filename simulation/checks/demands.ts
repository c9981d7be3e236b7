/** What a turn was asked to give, held against what it gave, by the log alone. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import { isAsDemanded } from '../world/demands.ts';
import type { Book } from './book.ts';
import type { Violate } from './invariants.ts';

/** What the turn that runs was asked for, and the steps of it that gave something else. */
export type Demand = { isForResult: boolean; allowsCalls: boolean; wrongSteps: Set<number> };

export const noDemand = (): Demand => ({ isForResult: false, allowsCalls: true, wrongSteps: new Set() });

/** Steps of a turn that may give a wrong result. */
const maxWrong = 2;

/** Before the event is taken into the book. */
export function checkDemand(book: Book, event: DurableEvent, violate: Violate): void {
  const { demand } = book;
  const wrong = (invariant: Parameters<Violate>[0], why: string) =>
    violate(invariant, `${book.session} ${event.seq} ${event.type}: ${why}`);
  switch (event.type) {
    case 'turn.started': {
      const { outputSchema, toolChoice } = event.data;
      book.demand = { ...noDemand(), isForResult: outputSchema !== undefined, allowsCalls: toolChoice !== 'none' };
      return;
    }
    case 'result.checked':
      if (!demand.isForResult) wrong('I45 result', 'nobody asked for a result.');
      if (!event.data.isValid) demand.wrongSteps.add(event.data.step);
      return;
    case 'step.started':
      if (demand.wrongSteps.size >= maxWrong)
        wrong('I45 result', `it goes on after ${demand.wrongSteps.size} wrong results.`);
      return;
    case 'tool.started':
      if (!demand.allowsCalls) wrong('I46 choice', `${event.data.call} begins, and no calls were to be made.`);
      return;
    case 'turn.ended':
      checkEnd(demand, event.data, wrong);
      return;
    default:
  }
}

function checkEnd(
  { isForResult, wrongSteps }: Demand,
  { outcome, result, message }: EventData['turn.ended'],
  wrong: Violate,
): void {
  if (!isForResult) return;
  if (outcome === 'completed' && !isAsDemanded(result)) {
    wrong('I45 result', `it ended well with ${JSON.stringify(result)}.`);
  }
  if (outcome === 'failed' && message.includes('the result that was asked for') && wrongSteps.size < maxWrong) {
    wrong('I45 result', 'it failed, and nobody asked for the result once more.');
  }
}
