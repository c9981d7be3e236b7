/** What there is to summarise: taken from the state once, as the compaction begins. */
import type { CompactionCause, Todo } from '@pawl/protocol';
import type { HistoryMessage, State } from '../../core/index.ts';
import { pinsWithinLimit, usableTokens, windowTokens } from '../../core/index.ts';

export type Job = {
  cause: CompactionCause;
  /** No model is asked. */
  isMechanical: boolean;
  focus: string | null;
  task: string | null;
  /** The messages that the summary will stand for. */
  messages: readonly HistoryMessage[];
  /** The message among them that stands for still earlier ones, and the summary in it. */
  earlier: { message: string; summary: string } | null;
  todos: readonly Todo[];
  corrections: readonly string[];
  /** The files that the session changed, the last one last; those that are gone are left out. */
  edited: readonly string[];
  /** What a request may hold. */
  budgetTokens: number;
};

/** Null when no compaction is under way. */
export function jobOf(state: Readonly<State>): Job | null {
  const { compaction, compactions, messages } = state;
  if (compaction === null) return null;
  const { cause, focus, through, isMechanical } = compaction;
  const last = messages.findIndex((message) => message.id === through);
  const { message, summary } = compactions;
  const usable = usableTokens(state.settings.modelInfo);
  return {
    cause,
    isMechanical,
    focus,
    task: state.task,
    messages: messages.slice(0, last + 1),
    earlier: message === null || summary === null ? null : { message, summary },
    todos: state.todos.items,
    corrections: pinsWithinLimit(state.pins)
      .filter(({ isCorrection }) => isCorrection)
      .map(({ text }) => text),
    edited: state.edited.filter((path) => state.files.get(path) !== null),
    // What the model found too long is as long as it was: that much does not fit.
    budgetTokens: cause === 'overflow' ? Math.min(usable, windowTokens(state)) : usable,
  };
}
