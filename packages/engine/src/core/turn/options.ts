/** What an input asks of its turn, which of it the next turn inherits, and which requests are refused. */
import type { Identity, TurnOptions } from '@pawl/protocol';
import { bounds } from '@pawl/protocol';
import type { Refusal } from '../decision.ts';
import { refuse } from '../decision.ts';
import { schemaFault } from '../json-schema.ts';
import type { State } from '../state.ts';

/** Picks the options out of data that holds more. Options that were not given are absent. */
export function optionsOf({ review, outputSchema, toolChoice, requestTimeoutMs, target }: TurnOptions): TurnOptions {
  return {
    ...(review === true && { review }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(requestTimeoutMs !== undefined && { requestTimeoutMs }),
    ...(target !== undefined && { target }),
  };
}

/** The options of a turn without an input: those of the turn before, unless that was completed. */
export function inheritedOptions({ lastTurn, lastOptions }: State): TurnOptions {
  return lastTurn === null || lastTurn.outcome === 'completed' ? {} : lastOptions;
}

/** Why options are refused; null if they are valid. */
export function optionsRefusal(
  options: TurnOptions,
  { by, isSteering }: { by: Pick<Identity, 'kind'>; isSteering: boolean },
): Refusal | null {
  const { requestTimeoutMs, target, toolChoice, outputSchema } = options;
  const isCount = (value: number, most: number) => Number.isInteger(value) && value >= 1 && value <= most;
  if (isSteering && Object.keys(optionsOf({ ...options, review: false })).length > 0) {
    return refuse(
      'turn_runs',
      'A turn keeps the result, tool choice, time and target that it was started with. Queue the input instead of steering.',
    );
  }
  if (requestTimeoutMs !== undefined && !isCount(requestTimeoutMs, Number.MAX_SAFE_INTEGER)) {
    return refuse('bad_limit', 'The time of a request is a whole number of milliseconds from 1 on.');
  }
  if (typeof toolChoice === 'object' && toolChoice.tool === '') {
    return refuse('bad_tool_choice', 'The tool choice names no tool.');
  }
  if (toolChoice === 'none' && target !== undefined) {
    return refuse('bad_tool_choice', 'A target is reached by a call of done, so tools cannot be ruled out.');
  }
  if (outputSchema !== undefined && (typeof outputSchema !== 'object' || Array.isArray(outputSchema))) {
    return refuse('bad_schema', 'The schema of the result is a JSON Schema, as an object.');
  }
  const fault = outputSchema === undefined ? null : schemaFault(outputSchema);
  if (fault !== null) return refuse('bad_schema', `The schema of the result is no JSON Schema: ${fault}`);
  if (target === undefined) return null;
  if (!isCount(target.maxIterations, bounds.maxIterations)) {
    return refuse('bad_limit', `The limit of iterations is a whole number from 1 to ${bounds.maxIterations}.`);
  }
  if (target.verify === undefined || by.kind === 'human') return null;
  return refuse('human_only', 'Only a person can name a command that is run without asking.');
}
