/** What a turn or a task is to give, and who may end it without. */
import type { EventData, JsonObject } from '@pawl/protocol';
import type { ToolDeclarations } from '../outcome.ts';
import type { State } from '../state.ts';

/** The schema that an end has to satisfy, and whose end it is. */
export type Demand = { schema: JsonObject; isForTask: boolean };

export const noResult = 'It was to give a result, and there is none.';

/** What the end that a call puts forward has to satisfy; null where nothing was asked for, or it puts none forward. */
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
