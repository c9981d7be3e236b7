/** What an answer of the model changes, or a call of it that brought none. */
import type { AssistantMessage, EventData, Judgement, Usage } from '@pawl/protocol';
import { mostCalls } from '../calls.ts';
import type { Call, State, Turn } from '../state.ts';
import { noUsage } from '../state.ts';
import { totalTokens } from '../usage.ts';
import { addSpending } from './spending.ts';

/** Answers in a row that the output limit may cut before anything of them can be used, until the turn ends. */
const mostCuts = 3;

export function addAnswer(state: State, message: AssistantMessage, seq: number): void {
  state.messages.push({ ...message, id: `m${seq}` });
  // What a cut answer cost its provider did not say. It is followed by the event that says why it was cut.
  if (message.isPartial === true) return;
  addSpending(state, message.usage, message.costUsd);
  const turn = state.turn;
  const counted = totalTokens(message.usage);
  if (counted > 0) state.window = { tokens: counted, charactersSince: 0 };
  if (turn === null) return;
  const parts = message.content.filter((part) => part.type === 'tool_call');
  turn.calls = parts.map((part, index) => proposedCall(part, excess(turn, index, parts.length)));
  turn.phase = turn.calls.length > 0 ? 'tools' : 'between';
  turn.ending = turn.calls.length > 0 ? null : endingOf(message);
  // Text that was cut is progress: it is gone on with for as long as steps and budgets allow.
  turn.cuts = 0;
  turn.advice = turn.calls.length === 0 && message.stopReason === 'output_limit' ? { kind: 'continue' } : null;
}

/** A call of the model that brought no answer; the turn ends with it, unless it is worth another try. */
export function failModel(state: State, data: EventData['model.failed']): void {
  const { turn } = state;
  if (turn === null) return;
  const { error, usage = noUsage, costUsd = 0, cutCall } = data;
  addSpending(state, usage, costUsd);
  if (error.code === 'output_cut') {
    countCut(turn, cutCall === undefined ? { kind: 'answer' } : { kind: 'smaller_call', tool: cutCall }, usage);
    if (turn.ending === null) turn.attempt += 1;
    else turn.phase = 'between';
  } else if (error.code === 'empty_answer' && !turn.hasBeenEmpty) {
    turn.hasBeenEmpty = true;
    turn.attempt += 1;
  } else {
    turn.phase = 'between';
    turn.ending = { outcome: 'failed', message: error.message };
  }
}

/** An answer of which nothing can be used is asked for anew, until that has failed too often in a row. */
function countCut(turn: Turn, advice: NonNullable<Turn['advice']>, usage: Usage): void {
  turn.cuts += 1;
  turn.advice = advice;
  if (turn.cuts < mostCuts) return;
  const where = advice.kind === 'smaller_call' ? ` in a call of ${advice.tool}` : '';
  const message = `The model's answers were cut at its output limit ${mostCuts} times in a row, the last after ${usage.outputTokens} tokens${where}. Raise the limit of the model's output, or continue and ask for less at once.`;
  turn.ending = { outcome: 'truncated', message };
}

/** Why a call is refused before anyone looks at it: too many came at once, or more than the one that was asked for. */
function excess(turn: Turn, index: number, count: number): string | null {
  if (count > mostCalls) {
    return `Not run: ${count} calls came in one answer, and no more than ${mostCalls} are taken. None was run. Ask for fewer at a time.`;
  }
  if (turn.advice?.kind === 'smaller_call' && index > 0) {
    return 'Not run: one call was asked for after the last answer was cut. Send the others in later answers.';
  }
  return null;
}

type CallPart = Extract<AssistantMessage['content'][number], { type: 'tool_call' }>;

function proposedCall(part: CallPart, excess: string | null): Call {
  return {
    id: part.id,
    tool: part.tool,
    input: part.input,
    malformed: part.malformed ?? null,
    status: excess === null ? 'proposed' : 'refused',
    round: 1,
    claims: null,
    behind: [],
    judgement: excess === null ? null : excessJudgement(part.id, excess),
    approval: null,
    approved: null,
    isStale: false,
    answer: null,
    remarks: [],
    questions: null,
    isInterrupted: false,
    result: null,
  };
}

const excessJudgement = (call: string, reason: string): Judgement => ({
  call,
  verdict: 'deny',
  rule: 'check count',
  reason,
  isMistake: true,
  effect: 'read',
  paths: [],
});

function endingOf(message: AssistantMessage): Turn['ending'] {
  switch (message.stopReason) {
    case 'end':
    case 'tool_calls':
      return { outcome: 'completed', message: 'The agent finished.' };
    case 'stop_sequence':
      return { outcome: 'completed', message: 'The agent stopped at a stop sequence.' };
    case 'refusal':
      return { outcome: 'blocked', message: 'The model refused to answer.' };
    case 'output_limit':
    case 'pause':
      return null;
    default:
      return message.stopReason satisfies never;
  }
}
