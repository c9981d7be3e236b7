/** What stands in the transcript, one entry after another. */
import type { EventData, JsonObject, Preview, Todo } from '@pawl/protocol';

export type Tone = 'plain' | 'quiet' | 'warning' | 'error';

/** What a person said, or the engine in their place. */
export type SaidItem = { kind: 'said'; id: string; text: string; source: 'input' | 'context' | 'engine' };
/** What the model thought; `endedAt` is null while it thinks. Times are Unix milliseconds. */
export type ThoughtItem = { kind: 'thought'; id: string; text: string; startedAt: number; endedAt: number | null };
/** What the model says; open while it streams. */
export type AnswerItem = { kind: 'answer'; id: string; text: string; isOpen: boolean };
export type CallItem = {
  kind: 'call';
  /** The call's own id. */
  id: string;
  tool: string;
  input: JsonObject;
  state: 'preparing' | 'waiting' | 'running' | 'over';
  startedAt: number | null;
  /** The end of what it has put out so far. */
  output: string;
  done: number | null;
  total: number | null;
  preview: Preview | null;
  finished: EventData['tool.finished'] | null;
};
export type LineItem = { kind: 'line'; id: string; text: string; tone: Tone };
export type TodosItem = { kind: 'todos'; id: string; todos: readonly Todo[] };
type PlanItem = { kind: 'plan'; id: string; text: string };
/** A task was given out, or came to its end. */
type TaskItem = { kind: 'task'; id: string; task: string; prompt: string };
export type TaskEndItem = { kind: 'task-end'; id: string; ended: EventData['task.ended'] };
/** `isTold`: why it ended stands above already. */
export type EndItem = {
  kind: 'end';
  id: string;
  ended: EventData['turn.ended'];
  durationMs: number | null;
  isTold: boolean;
};

export type Item =
  | SaidItem
  | ThoughtItem
  | AnswerItem
  | CallItem
  | LineItem
  | TodosItem
  | PlanItem
  | TaskItem
  | TaskEndItem
  | EndItem;

/** Whether nothing of it will ever change. */
export function isFinal(item: Item): boolean {
  switch (item.kind) {
    case 'thought':
      return item.endedAt !== null;
    case 'answer':
      return !item.isOpen;
    case 'call':
      return item.state === 'over';
    case 'said':
    case 'line':
    case 'todos':
    case 'plan':
    case 'task':
    case 'task-end':
    case 'end':
      return true;
    default:
      return item satisfies never;
  }
}
