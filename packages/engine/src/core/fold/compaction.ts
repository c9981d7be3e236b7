/** What trimming and compacting change. */
import type { DurableEvent, EventData } from '@pawl/protocol';
import { trimMessages } from '../compaction/trim.ts';
import type { HistoryMessage, State } from '../state.ts';
import { noUsage } from '../state.ts';
import { windowTokens } from '../usage.ts';
import { addSpending } from './spending.ts';

type CompactionEvent = Extract<
  DurableEvent,
  { type: `compaction.${string}` | 'context.trimmed' | 'context.compacted' }
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
    case 'compaction.started': {
      const { compaction: number, cause, through, tokens, focus = null } = event.data;
      compactions.count = number;
      state.compaction = { number, cause, through, tokens, focus, ready: null, isMoved: false };
      break;
    }
    case 'compaction.summarised': {
      const { kind, summary, files, recalled } = event.data;
      spend(state, event.data);
      if (state.compaction !== null) state.compaction.ready = { kind, summary, files, recalled };
      break;
    }
    case 'compaction.failed': {
      const { suspendedSteps } = event.data;
      spend(state, event.data);
      const isNeeded = state.compaction !== null && state.compaction.cause === turn?.need?.cause;
      if (turn?.need != null && isNeeded) turn.need.hasFailed = true;
      state.compaction = null;
      compactions.failures = suspendedSteps === undefined ? compactions.failures + 1 : 0;
      compactions.suspendedSteps = suspendedSteps ?? compactions.suspendedSteps;
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
      compactions.summary = state.compaction?.ready?.summary ?? null;
      state.compaction = null;
      compactions.applied += 1;
      compactions.failures = 0;
      compactions.message = id;
      // The prefix is new in any case, so what surrounds the work is taken anew with it.
      state.gathered = null;
      if (turn?.phase !== 'compacting') break;
      turn.phase = 'model';
      turn.attempt += 1;
      turn.need = null;
      break;
    }
    default:
      event satisfies never;
  }
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
