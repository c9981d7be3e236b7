/** Results that were checked against the schema that the turn asked for: what is logged, and what is not accepted. */
import type { EventBody } from '@pawl/protocol';
import type { Outcome, ResultCheck } from '../outcome.ts';
import type { State } from '../state.ts';
import { demandOf } from './demand.ts';

type ToolFinished = Outcome & { type: 'tool.finished' };

/** An end whose result was not checked, or does not satisfy the schema, ends nothing, whichever tool it comes from. */
export function rejectInvalidResult(state: State, outcome: ToolFinished): ToolFinished {
  const { checked: given, data, declared = {} } = outcome;
  if (given?.isValid === true || demandOf(state, { ...data, ...declared }) === null) return outcome;
  const { endsTurn: _, result: __, ...rest } = data;
  const { envelope: ___, ...others } = declared;
  const problem = given?.problem ?? 'The result was not held against its schema.';
  const content = `Not accepted. ${problem}`;
  return {
    ...outcome,
    data: { ...rest, status: 'error', content },
    declared: others,
    checked: { isValid: false, problem },
  };
}

/** Records the check of a result. `call` is the call that gave it, where it was not the last answer. */
export function resultChecked(state: State, given: ResultCheck | undefined, call?: string): EventBody[] {
  if (given === undefined) return [];
  const { number = 0, step = 0, wrongResults = 0, wrongStep = null } = state.turn ?? {};
  const place = { turn: number, step, ...(call !== undefined && { call }) };
  if (given.isValid) return [{ type: 'result.checked', data: { ...place, ...given } }];
  // Several wrong results in one step are one try: the agent was not told about the first yet.
  const isAskedAgain = wrongResults === 0 || wrongStep === step;
  return [{ type: 'result.checked', data: { ...place, ...given, consequence: isAskedAgain ? 'repair' : 'failure' } }];
}
