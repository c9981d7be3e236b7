import type { Usage } from '@pawl/protocol';
import { noUsage } from './usage.ts';

/** What the session has used in all, its tasks included. A cost of null is unknown. */
export type SpendingState = { usage: Usage; costUsd: number | null };

/** What a turn has used so far, the tasks that ended in it included. */
export type TurnSpending = { usage: Usage; costUsd: number | null };

export const nothingSpent = (): SpendingState & TurnSpending => ({ usage: noUsage, costUsd: 0 });
