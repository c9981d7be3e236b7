/** What the terminal knows of the session that it shows. */
import type {
  EventData,
  PendingApproval,
  PendingQuestions,
  PermissionMode,
  SessionView,
  TransientData,
} from '@pawl/protocol';
import type { Item } from './items.ts';

export type Activity = TransientData['activity']['activity'];

/** The turn that runs. Times are Unix milliseconds. */
export type RunningTurn = {
  turn: number;
  step: number;
  startedAt: number;
  activity: Activity;
  detail: string | null;
  /** Whether a cancel was asked for. */
  isStopping: boolean;
};

/** An input that waits for its turn. */
export type Queued = { input: string; text: string; delivery: EventData['input.queued']['delivery'] };

/** What waits for the person's answer; `task` is the task that asks, or null for the session itself. */
export type Asked =
  | { kind: 'approval'; session: string; task: string | null; approval: PendingApproval }
  | { kind: 'questions'; session: string; task: string | null; questions: PendingQuestions };

/** A task that is at work, and what it does right now. */
export type LiveTask = { task: string; prompt: string; doing: string | null };

export type Model = {
  /** What is not frozen yet, oldest first. */
  items: readonly Item[];
  turn: RunningTurn | null;
  queue: readonly Queued[];
  asked: readonly Asked[];
  tasks: readonly LiveTask[];
  /** The model that answers, where it is another than the chosen one. */
  runningModel: string | null;
  settings: { agent: string; model: string; mode: PermissionMode } | null;
  context: SessionView['context'] | null;
  costUsd: number | null;
  isPaused: boolean;
  /** What a call of the model failed with in this turn, as it was told. */
  failure: string | null;
  /** A plan that waits for somebody to say who carries it out. */
  plan: string | null;
};

export const emptyModel: Model = {
  items: [],
  turn: null,
  queue: [],
  asked: [],
  tasks: [],
  runningModel: null,
  settings: null,
  context: null,
  costUsd: null,
  isPaused: false,
  failure: null,
  plan: null,
};
