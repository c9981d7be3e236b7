/** The outcomes that effects report. */
import type { Attempt, EventData, Failure, Json, Judgement, Usage } from '@pawl/protocol';
import type { ModelMessage, ToolOutcome } from '../ports.ts';
import type { CompactionOutcome } from './compaction/decide.ts';

/** What a tool declares about the session besides its result. */
export type ToolDeclarations = Pick<ToolOutcome, 'stage' | 'todos' | 'notes' | 'offers' | 'mail' | 'plan' | 'envelope'>;

/** Whether the result of the turn satisfies the schema that was asked for. */
export type ResultCheck = { isValid: true; result: Json } | { isValid: false; problem: string };

export type Outcome =
  | { type: 'model.finished'; effect: string; model: string; message: ModelMessage; checked?: ResultCheck }
  /** `partial` is the answer so far, to be kept; code `cancelled` when the engine itself stopped it. */
  | {
      type: 'model.failed';
      effect: string;
      model: string;
      error: Failure;
      partial: ModelMessage | null;
      /** What it used, and what that cost (null: unknown); absent where nothing reached the model. */
      usage?: Usage;
      costUsd?: number | null;
      attempts?: readonly Attempt[];
      /** The engine itself stopped the request, and it was not tried again yet. */
      isUntried?: boolean;
    }
  | { type: 'tool.judged'; effect: string; judgement: Judgement }
  | { type: 'tool.outdated'; effect: string; data: EventData['tool.outdated'] }
  | {
      type: 'tool.finished';
      effect: string;
      data: EventData['tool.finished'];
      declared?: ToolDeclarations;
      checked?: ResultCheck;
    }
  | { type: 'context.gathered'; effect: string; data: EventData['context.gathered'] }
  | { type: 'loop.verified'; effect: string; ok: boolean; output: string; problem?: string }
  | { type: 'mail.delivered'; effect: string; mail: string }
  | CompactionOutcome
  | { type: 'task.changed'; effect: string; data: EventData['task.changed'] }
  | { type: 'task.ended'; effect: string; data: EventData['task.ended'] }
  | { type: 'task.delivered'; effect: string; data: EventData['task.delivered'] }
  /** `at`: Unix ms. `isFinal`: another try would fail as well. */
  | { type: 'mail.undelivered'; effect: string; mail: string; at: number; message: string; isFinal: boolean }
  | { type: 'timer.fired'; effect: string }
  | { type: 'session.opened'; data: EventData['session.opened'] };
