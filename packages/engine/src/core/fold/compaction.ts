/** What trimming and compacting change. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import { removeParts } from '../compaction/remove.ts';
import { trimMessages } from '../compaction/trim.ts';
import type { HistoryMessage, State, Turn } from '../state.ts';
import { noUsage } from '../state.ts';
import { windowTokens } from '../usage.ts';
import { addSpending } from './spending.ts';

type CompactionEvent = Extract<
  DurableEvent,
  { type: `compaction.${string}` | 'context.trimmed' | 'context.removed' | 'context.compacted' }
>;

export function evolveCompaction(state: State, event: CompactionEvent): void {
  const { compactions, turn } = state;
  switch (event.type) {
    case 'context.trimmed':
      state.trimmed += event.data.results.length;
      forgetCalls(state, (call) => !event.data.results.some((result) => result.call === call));
      changeHistory(state, trimMessages(state.messages, event.data.results));
      state.window = { tokens: Math.max(0, windowTokens(state) - event.data.freedTokens), charactersSince: 0 };
      break;
    case 'context.removed': {
      const before = state.messages;
      changeHistory(state, removeParts(before, event.data.parts));
      noteMove(state, before);
      state.attachments = state.messages.flatMap(digestsIn);
      state.window = { tokens: Math.max(0, windowTokens(state) - event.data.freedTokens), charactersSince: 0 };
      if (turn?.phase === 'compacting') askAgain(turn);
      break;
    }
    case 'compaction.started': {
      const { compaction: number, cause, through, tokens, focus = null, isMechanical = false } = event.data;
      compactions.count = number;
      state.compaction = { number, cause, through, tokens, focus, isMechanical, ready: null, isMoved: false };
      break;
    }
    case 'compaction.summarised': {
      const { kind, summary, files, recalled, problem, suspendedSteps } = event.data;
      spend(state, event.data);
      const said = { kind, summary, files, recalled, ...(problem !== undefined && { problem }) };
      if (state.compaction !== null) state.compaction.ready = said;
      if (problem !== undefined) noteFailure(state, suspendedSteps);
      break;
    }
    case 'compaction.failed': {
      const { suspendedSteps } = event.data;
      spend(state, event.data);
      const isNeeded = state.compaction !== null && state.compaction.cause === turn?.need?.cause;
      if (turn?.need != null && isNeeded) turn.need.hasFailed = true;
      state.compaction = null;
      noteFailure(state, suspendedSteps);
      break;
    }
    case 'compaction.cancelled': {
      const { suspendedSteps } = event.data;
      // Somebody does not want it.
      if (suspendedSteps !== undefined && turn?.need != null) turn.need.hasFailed = true;
      state.compaction = null;
      compactions.suspendedSteps = suspendedSteps ?? compactions.suspendedSteps;
      break;
    }
    case 'context.compacted': {
      const { through, content, tokensAfter } = event.data;
      const id = `m${event.seq}`;
      const first: HistoryMessage = { role: 'user', id, source: 'engine', content: [{ type: 'text', text: content }] };
      const last = state.messages.findIndex((message) => message.id === through);
      changeHistory(state, [first, ...state.messages.slice(last + 1)]);
      const shown = new Set(
        state.messages.flatMap((message) => (message.role === 'tool' ? message.results : [])).map(({ call }) => call),
      );
      forgetCalls(state, (call) => shown.has(call));
      state.attachments = state.messages.flatMap(digestsIn);
      state.window = { tokens: tokensAfter, charactersSince: 0 };
      const { isMechanical = false, ready = null } = state.compaction ?? {};
      compactions.summary = ready?.summary ?? null;
      state.compaction = null;
      compactions.applied += 1;
      // A digest says nothing of whether the model can be asked again.
      if (!isMechanical && ready?.problem === undefined) compactions.failures = 0;
      compactions.message = id;
      // The prefix is new in any case, so what surrounds the work is taken anew with it.
      state.gathered = null;
      if (turn?.phase === 'compacting') askAgain(turn);
      break;
    }
    default:
      event satisfies never;
  }
}

/** The same step, over a shorter history. */
function askAgain(turn: Turn): void {
  turn.phase = 'model';
  turn.attempt += 1;
  turn.need = null;
}

function noteFailure({ compactions }: State, suspendedSteps: number | undefined): void {
  compactions.failures = suspendedSteps === undefined ? compactions.failures + 1 : 0;
  compactions.suspendedSteps = suspendedSteps ?? compactions.suspendedSteps;
}

function spend(
  state: State,
  { usage = noUsage, costUsd = 0 }: Pick<EventData['compaction.failed'], 'usage' | 'costUsd'>,
): void {
  addSpending(state, usage, costUsd);
}

/** What the model no longer sees the result of, it may well do again. */
function forgetCalls({ turn }: State, isShown: (call: string) => boolean): void {
  if (turn !== null) turn.doneCalls = turn.doneCalls.filter(({ id }) => isShown(id));
}

/** What was checked for repair is checked again, and nothing was signed over the history as it is now. */
function changeHistory(state: State, messages: HistoryMessage[]): void {
  state.messages = messages;
  state.checkedMessages = 0;
  state.signedFrom = messages.length;
}

function digestsIn(message: HistoryMessage): string[] {
  if (message.role === 'assistant') return [];
  const files =
    message.role === 'user'
      ? message.content.filter((part) => part.type === 'file')
      : message.results.flatMap((result) => result.files ?? []);
  return files.map(({ digest }) => digest);
}

/** A repair that reaches into what is being summarised leaves the summary without its ground. */
export function noteMove(state: State, before: readonly HistoryMessage[]): void {
  const { compaction } = state;
  if (compaction === null) return;
  const last = before.findIndex((message) => message.id === compaction.through);
  const isSame = before.slice(0, last + 1).every((message, index) => state.messages[index] === message);
  if (!isSame) compaction.isMoved = true;
}
