/** The result that a turn or a task has to give. */
import type { EventData, JsonObject } from '@pawl/protocol';
import type { ToolDeclarations } from '../outcome.ts';
import type { State } from '../state.ts';

/** The schema that a result has to satisfy, and whether it is the result of the task or of the turn. */
export type Demand = { schema: JsonObject; isForTask: boolean };

export const noResult = 'It was to give a result, and there is none.';

/** What the result of a call has to satisfy; null where no result was asked for, or the call does not end anything. */
export function demandOf(
  { turn, assignment }: State,
  {
    endsTurn,
    isBlocked,
    envelope,
  }: Pick<EventData['tool.finished'], 'endsTurn' | 'isBlocked'> & Pick<ToolDeclarations, 'envelope'>,
): Demand | null {
  if (isBlocked === true) return null;
  const ofTask = envelope === undefined || assignment?.finished !== null ? undefined : assignment.outputSchema;
  if (ofTask !== undefined) return { schema: ofTask, isForTask: true };
  const ofTurn = endsTurn === undefined ? undefined : turn?.options.outputSchema;
  return ofTurn === undefined ? null : { schema: ofTurn, isForTask: false };
}
