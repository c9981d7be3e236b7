import type { CompactionCause, EventData } from '@pawl/protocol';

/** A compaction that was begun; `ready` once its summary is there. */
export type Compaction = {
  number: number;
  cause: CompactionCause;
  /** The last message that the summary stands for. */
  through: string;
  /** What the window held when it began. */
  tokens: number;
  focus: string | null;
  /** No model is asked for its summary. */
  isMechanical: boolean;
  ready: Pick<EventData['compaction.summarised'], 'kind' | 'summary' | 'files' | 'recalled' | 'problem'> | null;
  /** The history under it is another one now. */
  isOutdated: boolean;
};

export type CompactionState = {
  compaction: Compaction | null;
  /** `count` were begun, `applied` came to their end; `message` stands for the earlier conversation. */
  compactions: {
    count: number;
    applied: number;
    /** In a row. */
    failures: number;
    /** None is begun by itself for so many steps. */
    suspendedSteps: number;
    message: string | null;
    /** The summary in it. */
    summary: string | null;
  };
  /** Results that were taken out of what the model sees. */
  trimmed: number;
};

export const initialCompaction = (): CompactionState => ({
  compaction: null,
  compactions: { count: 0, applied: 0, failures: 0, suspendedSteps: 0, message: null, summary: null },
  trimmed: 0,
});
