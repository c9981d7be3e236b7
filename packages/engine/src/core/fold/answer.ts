/** What an answer of the model changes, or a call of it that brought none. */
import type { AssistantMessage, EventData, Judgement, Usage } from '@pawl/protocol';
import { mostCalls } from '../calls.ts';
import type { Call, State, Turn } from '../state.ts';
import { noUsage } from '../state.ts';
import { totalTokens } from '../usage.ts';
import { restLoop } from './loop.ts';
import { noteRead } from './mail.ts';
import { addBrokenSpending, addSpending } from './spending.ts';

/** Answers in a row that the output limit may cut before anything of them can be used, until the turn ends. */
const mostCuts = 3;

/** Compactions for one step that the model finds too long. */
const mostOverflows = 2;

export function addAnswer(state: State, message: AssistantMessage, seq: number): void {
  state.messages.push({ ...message, id: `m${seq}` });
  // It is followed by the event that says why it was cut, and what that cost.
  if (message.isPartial === true) return;
  addSpending(state, message.usage, message.costUsd);
  noteRead(state);
  const turn = state.turn;
  const counted = totalTokens(message.usage);
  if (counted > 0) state.window = { tokens: counted, charactersSince: 0 };
  if (turn === null) return;
  const parts = message.content.filter((part) => part.type === 'tool_call');
  turn.calls = parts.map((part, index) => proposedCall(part, excess(turn, index, parts.length)));
  turn.phase = turn.calls.length > 0 ? 'tools' : 'between';
  turn.ending = turn.calls.length > 0 ? null : endingOf(message);
  turn.isChoiceMet ||= isChoice(turn, parts);
  if (turn.loop !== null && turn.ending?.outcome === 'completed') restLoop(turn, turn.loop);
  // Text that was cut is progress: it is gone on with for as long as steps and budgets allow.
  turn.cuts = 0;
  turn.hasCompactedForCut = false;
  turn.overflows = 0;
  turn.advice = turn.calls.length === 0 && message.stopReason === 'output_limit' ? { kind: 'continue' } : null;
}

/** A call of the model that brought no answer; the turn ends with it, unless it is worth another try. */
export function failModel(state: State, data: EventData['model.failed']): void {
  const { turn } = state;
  if (turn === null) return;
  const { error, usage = noUsage, costUsd = 0, cutCall } = data;
  const isWhole = error.code === 'output_cut' || error.code === 'empty_answer';
  (isWhole ? addSpending : addBrokenSpending)(state, usage, costUsd);
  if (error.code === 'output_cut') {
    countCut(state, turn, cutCall === undefined ? { kind: 'answer' } : { kind: 'smaller_call', tool: cutCall }, usage);
    if (turn.ending !== null) turn.phase = 'between';
    else if (turn.need === null) turn.attempt += 1;
  } else if (error.code === 'context_overflow') {
    overflow(state, turn, error.message);
  } else if (data.willRetry === true) {
    turn.timeouts += 1;
    turn.attempt += 1;
  } else if (error.code === 'empty_answer' && !turn.hasBeenEmpty) {
    turn.hasBeenEmpty = true;
    turn.attempt += 1;
  } else {
    turn.phase = 'between';
    turn.ending = { outcome: 'failed', message: error.message };
  }
}

/** Whether the call that was forced is among these. */
function isChoice({ options: { toolChoice } }: Turn, parts: readonly CallPart[]): boolean {
  return typeof toolChoice === 'object' ? parts.some(({ tool }) => tool === toolChoice.tool) : parts.length > 0;
}

/** An answer of which nothing can be used is asked for anew, until that has failed too often in a row; once over a shorter history. */
function countCut(state: State, turn: Turn, advice: NonNullable<Turn['advice']>, usage: Usage): void {
  turn.cuts += 1;
  turn.advice = advice;
  if (turn.cuts < mostCuts) return;
  const where = advice.kind === 'smaller_call' ? ` in a call of ${advice.tool}` : '';
  const message = `The model's answers were cut at its output limit ${turn.cuts} times in a row, the last after ${usage.outputTokens} tokens${where}. Raise the limit of the model's output, or continue and ask for less at once.`;
  const ending = { outcome: 'truncated' as const, message };
  if (turn.hasCompactedForCut || !state.settings.compaction.isOn) {
    turn.ending = ending;
    return;
  }
  turn.hasCompactedForCut = true;
  turn.phase = 'compacting';
  turn.need = { cause: 'cut', ending, hasFailed: false };
}

/** The same step is tried again over a shorter history. */
function overflow(state: State, turn: Turn, why: string): void {
  const end = (what: string) => ({ outcome: 'failed' as const, message: `${why} ${what}` });
  turn.overflows += 1;
  if (!state.settings.compaction.isOn) {
    turn.ending = end(
      'Compaction is off for this session: turn it on, compact by hand, or choose a model with a larger window.',
    );
  } else if (turn.overflows > mostOverflows) {
    turn.ending = end(`The history was compacted ${mostOverflows} times, and it is still too long.`);
  }
  turn.phase = turn.ending === null ? 'compacting' : 'between';
  if (turn.ending !== null) return;
  const ending = end('There is nothing left in the history that could be compacted.');
  turn.need = { cause: 'overflow', ending, hasFailed: false };
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
