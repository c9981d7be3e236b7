/** What follows when a call has come to its end: its result, what it declared, and the end of the turn, if it puts one forward. */
import type { EventBody } from '@pawl/protocol';
import type { OutgoingMail } from '../mail/decide.ts';
import { mailId, mailProblem, mailSent } from '../mail/decide.ts';
import type { Outcome, ResultCheck, ToolDeclarations } from '../outcome.ts';
import { demandOf } from '../result/demand.ts';
import type { Call, State } from '../state.ts';
import { endRefusal } from '../target/settle.ts';
import { withRemarks } from './conflicts.ts';
import { findCall } from './evolve.ts';

type Finished = Outcome & { type: 'tool.finished' };

export function decideToolResult(state: State, outcome: Finished): EventBody[] {
  const call = findCall(state, outcome.data.call);
  const { declared, checked: given, data: own } = rejectInvalidResult(state, outcome);
  const data = call === undefined ? own : withCallRemarks(call, own);
  const said = [
    ...completeTask(state, declared),
    ...declarations(declared),
    ...declaredMail(state, data.call, declared?.mail),
  ];
  const isEnd = state.turn?.loop != null && data.endsTurn !== undefined && data.isBlocked !== true;
  // What the call itself puts on the list is open already.
  const todos = declared?.todos === undefined ? state.todos : { items: declared.todos, age: 0 };
  const told = isMoreToCome(state, declared) ? { ...data, content: moreToCome } : data;
  const events: EventBody[] = isEnd ? proposeEnd({ ...state, todos }, data) : [{ type: 'tool.finished', data: told }];
  return [...said, ...events, ...resultChecked(state, given, data.call)];
}

/** What was to satisfy a schema and was not held against it, or does not satisfy it, ends nothing, wherever it comes from. */
function rejectInvalidResult(state: State, outcome: Finished): Finished {
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

/** A call that ends a turn with a target only puts its end forward, and only where that may be. */
function proposeEnd(state: State, data: Finished['data']): EventBody[] {
  const { turn } = state;
  if (turn?.loop == null) return [];
  const problem = endRefusal(state, turn);
  if (problem === null) {
    const content = `${data.content}\n(Whether the turn ends with this is looked at now.)`;
    return [{ type: 'tool.finished', data: { ...data, content } }];
  }
  const { endsTurn: _, result: __, ...rest } = data;
  // What was done stays done; only that it ends the turn is refused.
  const isDeed = findCall(state, data.call)?.claims?.effect !== 'read';
  const { number, loop } = turn;
  return [
    {
      type: 'tool.finished',
      data: isDeed
        ? { ...rest, content: `${data.content}\n(${problem})` }
        : { ...rest, status: 'error', content: problem },
    },
    {
      type: 'loop.changed',
      data: { turn: number, iteration: loop.iteration, status: 'executing', message: problem },
    },
  ];
}

/** What the turn was to give was held against its schema; `call`: where it was not the last answer. */
export function resultChecked(state: State, given: ResultCheck | undefined, call?: string): EventBody[] {
  if (given === undefined) return [];
  const { number = 0, step = 0, wrongResults = 0, wrongStep = null } = state.turn ?? {};
  const place = { turn: number, step, ...(call !== undefined && { call }) };
  if (given.isValid) return [{ type: 'result.checked', data: { ...place, ...given } }];
  // Several that are wrong in one step are one try: the agent has not been told of the first yet.
  const isAskedAgain = wrongResults === 0 || wrongStep === step;
  return [{ type: 'result.checked', data: { ...place, ...given, consequence: isAskedAgain ? 'repair' : 'failure' } }];
}

/** What a tool wants to be sent. What may not be is told by the tool itself, which asked before. */
function declaredMail(state: State, call: string, mail: readonly OutgoingMail[] = []): EventBody[] {
  return mail
    .filter((letter) => mailProblem(state, letter) === null)
    .map((letter, index) => mailSent(state, mailId(state.session, `${call}_m${index + 1}`), letter));
}

const moreToCome = 'This ends the turn, not the task: more has come for you. See to it, and call this again.';

/** Whether a task says that it is done that has not read all that was sent to it. */
function isMoreToCome({ assignment, queue }: State, { envelope }: ToolDeclarations = {}): boolean {
  if (envelope === undefined || assignment === null || assignment.finished !== null) return false;
  return queue.some(({ delivery }) => delivery !== 'context');
}

/** A task says that it is done, with what it gives to its owner. */
function completeTask(state: State, declared: ToolDeclarations = {}): EventBody[] {
  const { assignment } = state;
  const { envelope } = declared;
  if (envelope === undefined || assignment === null || assignment.finished !== null) return [];
  if (isMoreToCome(state, declared)) return [];
  const { instance } = assignment;
  return [{ type: 'task.finished', data: { instance, outcome: 'completed', message: 'It is done.', envelope } }];
}

/** What the engine says of a result stands apart from what came from outside. */
function withCallRemarks(call: Call, data: Finished['data']): Finished['data'] {
  if (data.isOutside !== true) return { ...data, content: withRemarks(call, data.content) };
  return call.remarks.length === 0 ? data : { ...data, remarks: withRemarks(call, '') };
}

function declarations({ stage, todos, notes = {}, offers = [], plan }: ToolDeclarations = {}): EventBody[] {
  const set = Object.entries(notes).map(([key, value]): EventBody => ({ type: 'note.set', data: { key, value } }));
  return [
    ...(stage === undefined ? [] : [{ type: 'stage.declared' as const, data: { stage } }]),
    ...(todos === undefined ? [] : [{ type: 'todo.updated' as const, data: { todos: [...todos] } }]),
    ...(plan === undefined ? [] : [{ type: 'plan.written' as const, data: { text: plan } }]),
    ...set,
    ...(offers.length === 0 ? [] : [{ type: 'tools.offered' as const, data: { tools: [...offers] } }]),
  ];
}
