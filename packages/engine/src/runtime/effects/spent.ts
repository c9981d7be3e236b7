import type { Usage } from '@pawl/protocol';
import { noUsage } from '../../core/index.ts';
import { addCost, addUsage } from '../../core/spending/usage.ts';
import type { ModelEvent } from '../../ports.ts';

/** What a call of the model cost; null dollars are an unknown number of them. */
export type Spent = { usage: Usage; costUsd: number | null };

const unknown: Spent = { usage: noUsage, costUsd: null };

/** Follows what a call costs while it runs, for the case that it never says so in a whole answer. */
export class SpendingMeter {
  /** Of tries before this one. */
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
   * What was spent on a call without an answer; null if nothing was. A provider that refuses takes nothing for it; one that
   * was left while it worked (`isStopped`) does, and often does not say how much.
   */
  spent(isStopped: boolean): Spent | null {
    const own = this.#counted ?? (this.#hasStreamed || (isStopped && this.#isSent) ? unknown : null);
    return added(this.#lost, own);
  }

  #endTry(): void {
    this.#lost = this.spent(false);
    this.#counted = null;
    this.#isSent = false;
    this.#hasStreamed = false;
  }
}

function added(left: Spent | null, right: Spent | null): Spent | null {
  if (left === null || right === null) return left ?? right;
  return { usage: addUsage(left.usage, right.usage), costUsd: addCost(left.costUsd, right.costUsd) };
}
