import { PawlError } from '@pawl/protocol';
import type { ModelEvent } from '../ports.ts';
import type { RequestMiddleware } from '../runtime/middleware.ts';

/**
 * Ends spending for this process, whichever sessions and models it goes to: every call that goes through what this
 * returns counts. Once the answers have cost `usd` dollars, further calls fail with `budget_spent`; after an answer
 * whose cost is not known they fail with `price_unknown`, because nobody can tell any more what was spent.
 * What calls that run at the same time cost is not seen before they end; of what broke off counts what its provider said.
 * @throws `bad_budget`.
 * @example
 * createHost({ log, model, requestMiddleware: [withCostBudget({ usd: 5 })] })
 */
export function withCostBudget({ usd }: { usd: number }): RequestMiddleware {
  if (!(usd > 0)) throw new PawlError('bad_budget', `A budget is a number of dollars above 0, not ${usd}.`);
  let spentUsd = 0;
  let unknown: string | null = null;
  return async function* (request, signal, next): AsyncGenerator<ModelEvent> {
    if (unknown !== null) {
      throw new PawlError(
        'price_unknown',
        `A call of ${unknown} has cost nobody knows what, so the budget of $${usd} cannot be kept. Use models with a known price, or no budget.`,
      );
    }
    if (spentUsd >= usd) {
      throw new PawlError(
        'budget_spent',
        `The budget of $${usd} is spent: $${spentUsd.toFixed(4)}. Raise it to go on; the session keeps all that was done.`,
      );
    }
    const count = (costUsd: number | null, model: string) => {
      if (costUsd === null) unknown = model;
      else spentUsd += costUsd;
    };
    /** Of an answer that may yet break off. */
    let soFar: number | null = 0;
    try {
      for await (const event of next(request, signal)) {
        if (event.type === 'usage') soFar = event.costUsd;
        else if (event.type === 'finished') {
          soFar = 0;
          count(event.message.costUsd, event.message.model ?? request.model);
        }
        yield event;
      }
    } finally {
      count(soFar, request.model);
    }
  };
}
