import type { Usage } from '@pawl/protocol';
import { noUsage } from '../../core/index.ts';
import { addCost, addUsage } from '../../core/spending/usage.ts';
import type { ModelEvent } from '../../ports.ts';

/** The usage and cost of a call of the model; null is an unknown cost. */
export type Spent = { usage: Usage; costUsd: number | null };

const unknown: Spent = { usage: noUsage, costUsd: null };

/** Follows the cost of a call while it runs, in case it ends without a whole answer. */
export class SpendingMeter {
  /** The cost of earlier tries. */
  #lost: Spent | null = null;
  /** What the provider counted of this try. */
  #counted: Spent | null = null;
  #isSent = false;
  #hasStreamed = false;

  follow(event: ModelEvent): void {
    switch (event.type) {
      case 'usage':
        this.#counted = { usage: event.usage, costUsd: event.costUsd };
        return;
      case 'text':
      case 'thinking':
      case 'input':
        this.#hasStreamed = true;
        return;
      case 'rollback':
        this.#endTry();
        return;
      case 'activity':
        if (event.activity === 'waiting_headers' || event.activity === 'waiting_first_token') this.#isSent = true;
        else if (event.activity !== 'connecting') this.#endTry();
        return;
      case 'input_complete':
      case 'notice':
      case 'finished':
        return;
      default:
        event satisfies never;
    }
  }

  /**
   * The cost of a call without an answer; null if there is none. A provider does not charge for a refusal. It does for a
   * call that was stopped while it worked (`isStopped`), and often does not say how much.
   */
  spent(isStopped: boolean): Spent | null {
    const own = this.#counted ?? (this.#hasStreamed || (isStopped && this.#isSent) ? unknown : null);
    return addSpent(this.#lost, own);
  }

  #endTry(): void {
    this.#lost = this.spent(false);
    this.#counted = null;
    this.#isSent = false;
    this.#hasStreamed = false;
  }
}

function addSpent(left: Spent | null, right: Spent | null): Spent | null {
  if (left === null || right === null) return left ?? right;
  return { usage: addUsage(left.usage, right.usage), costUsd: addCost(left.costUsd, right.costUsd) };
}
