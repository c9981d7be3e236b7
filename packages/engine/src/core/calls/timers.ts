import type { Call } from './state.ts';

/** The id of the effect that rings when an approval's time is up. */
export const approvalTimer = (call: Pick<Call, 'id'>, round: number) => `timer:approval:${call.id}:${round}`;

/** The id of the effect that rings when the time for an answer is up. */
export const questionTimer = (call: Pick<Call, 'id'>, round: number) => `timer:question:${call.id}:${round}`;
