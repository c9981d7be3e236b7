/** What follows when a call was judged, and when it has finished: its result, what it declared, and the end of the turn if it proposes one. */
import type { EventBody, Judgement } from '@pawl/protocol';
import type { Decision } from '../decision.ts';
import { accept } from '../decision.ts';
import type { OutgoingMail } from '../mail/decide.ts';
import { mailId, mailProblem, mailSent } from '../mail/decide.ts';
import type { Outcome, ToolDeclarations } from '../outcome.ts';
import { rejectInvalidResult, resultChecked } from '../result/decide.ts';
import type { Call, State } from '../state.ts';
import { endRefusal } from '../target/settle.ts';
import { blockers } from './conflicts.ts';
import { findCall } from './evolve.ts';
import { withRemarks } from './state.ts';

type Finished = Outcome & { type: 'tool.finished' };

export function decideToolResult(state: State, outcome: Finished): Decision {
  const call = findCall(state, outcome.data.call);
  const { declared, checked: given, data: own } = rejectInvalidResult(state, outcome);
  const data = call === undefined ? own : withCallRemarks(call, own);
  const said = [
    ...completeTask(state, declared),
    ...declarations(declared),
    ...declaredMail(state, data.call, declared?.mail),
  ];
  const isEnd = state.turn?.loop != null && data.endsTurn !== undefined && data.isBlocked !== true;
  // Todos that this call adds count as open.
  const todos = declared?.todos === undefined ? state.todos : { items: declared.todos, age: 0 };
  const told = isMoreToCome(state, declared) ? { ...data, content: moreToCome } : data;
  const events: EventBody[] = isEnd ? proposeEnd({ ...state, todos }, data) : [{ type: 'tool.finished', data: told }];
  return accept(...said, ...events, ...resultChecked(state, given, data.call));
}

/** In a turn with a target, a call that ends the turn only proposes the end, and only where that is allowed. */
function proposeEnd(state: State, data: Finished['data']): EventBody[] {
  const { turn } = state;
  if (turn?.loop == null) return [];
  const problem = endRefusal(state, turn);
  if (problem === null) {
    const content = `${data.content}\n(Whether the turn ends with this is looked at now.)`;
    return [{ type: 'tool.finished', data: { ...data, content } }];
  }
  const { endsTurn: _, result: __, ...rest } = data;
  // The deed stays done; only the end of the turn is refused.
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

/** Mail that a tool wants to send. The tool has asked before what is allowed and tells the model about the rest itself. */
function declaredMail(state: State, call: string, mail: readonly OutgoingMail[] = []): EventBody[] {
  return mail
    .filter((letter) => mailProblem(state, letter) === null)
    .map((letter, index) => mailSent(state, mailId(state.session, `${call}_m${index + 1}`), letter));
}

const moreToCome = 'This ends the turn, not the task: more has come for you. See to it, and call this again.';

/** Whether a task wants to complete although inputs for it wait in the queue. */
function isMoreToCome({ assignment, queue }: State, { envelope }: ToolDeclarations = {}): boolean {
  if (envelope === undefined || assignment === null || assignment.finished !== null) return false;
  return queue.some(({ delivery }) => delivery !== 'context');
}

/** The end of a task that calls `complete`, with the envelope for its owner. */
function completeTask(state: State, declared: ToolDeclarations = {}): EventBody[] {
  const { assignment } = state;
  const { envelope } = declared;
  if (envelope === undefined || assignment === null || assignment.finished !== null) return [];
  if (isMoreToCome(state, declared)) return [];
  const { instance } = assignment;
  return [{ type: 'task.finished', data: { instance, outcome: 'completed', message: 'It is done.', envelope } }];
}

/** Remarks of the engine are kept apart from content that came from outside. */
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

/**
 * A change is judged against what the calls before it left, so one that touches what an earlier call
 * may still change waits for that call and is judged anew. Reads and refusals need not wait.
 */
export function decideJudgement(state: State, judgement: Judgement): Decision {
  const call = findCall(state, judgement.call);
  if (state.turn === null || call === undefined) return accept();
  const behind =
    judgement.effect === 'read' || judgement.verdict === 'deny' ? [] : blockers(state.turn.calls, call, judgement);
  if (behind.length === 0) return accept({ type: 'tool.judged', data: judgement });
  const { effect, paths } = judgement;
  const data = { call: call.id, behind: behind.map((other) => other.id), effect, paths };
  return accept({ type: 'tool.deferred', data });
}
