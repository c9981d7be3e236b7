import type { CompactionCause, EventData } from '@pawl/protocol';

/** A compaction that has started; `ready` once its summary is there. */
export type Compaction = {
  number: number;
  cause: CompactionCause;
  /** The last message that the summary replaces. */
  through: string;
  /** Tokens in the window when it started. */
  tokens: number;
  focus: string | null;
  /** No model is asked for its summary. */
  isMechanical: boolean;
  ready: Pick<EventData['compaction.summarised'], 'kind' | 'summary' | 'files' | 'recalled' | 'problem'> | null;
  /** A message that it summarises has changed since. */
  isOutdated: boolean;
};

export type CompactionState = {
  compaction: Compaction | null;
  /** `count` have started, `applied` have replaced messages; `message` is the id of the message that replaces them now. */
  compactions: {
    count: number;
    applied: number;
    /** In a row. */
    failures: number;
    /** None starts by itself for this many steps. */
    suspendedSteps: number;
    message: string | null;
    /** The summary in that message. */
    summary: string | null;
  };
  /** Results that were trimmed from what the model sees. */
  trimmed: number;
};

export const initialCompaction = (): CompactionState => ({
  compaction: null,
  compactions: { count: 0, applied: 0, failures: 0, suspendedSteps: 0, message: null, summary: null },
  trimmed: 0,
});
