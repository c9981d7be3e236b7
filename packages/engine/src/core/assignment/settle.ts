/** When a task is done: it calls `complete`; its turn fails; or it stops without either, is nudged once, and stops again. */
import type { EventBody } from '@pawl/protocol';
import type { State } from '../state.ts';
import { openTasks } from '../tasks/tasks.ts';
import type { AssignedWork } from './state.ts';

const nudge =
  'You stopped without ending the task. If it is done, call complete with a summary; if you need something, call ask_owner; else go on.';

/** Between turns. No events: the session waits. Null: it goes on like any other session. */
export function settleAssignment(state: State): EventBody[] | null {
  const { assignment } = state;
  if (assignment === null || assignment.instance === 0 || assignment.finished !== null) return null;
  if (assignment.isOverTime) return [taskFinished(assignment, 'failed', 'It ran out of time.')];
  const isGoingOn = state.queue.length > 0 && !state.isHeld;
  if (isGoingOn || state.turns === assignment.before.turns) return null;
  // Its own tasks have to end first.
  if (openTasks(state).length > 0) return [];
  return afterTurn(state, assignment);
}

function afterTurn(state: State, assignment: AssignedWork): EventBody[] {
  const { lastTurn } = state;
  if (lastTurn === null) return [];
  const { outcome, message } = lastTurn;
  switch (outcome) {
    case 'completed':
      return nudgeOrFinish(state, assignment);
    case 'cancelled':
    case 'blocked':
      return [taskFinished(assignment, outcome, message)];
    case 'failed':
    case 'max_steps':
    case 'max_duration':
    case 'budget':
    case 'truncated':
      return [taskFinished(assignment, 'failed', message)];
    default:
      return outcome satisfies never;
  }
}

/** Its turn ended with plain text, which does not end the task. */
function nudgeOrFinish(state: State, assignment: AssignedWork): EventBody[] {
  if (assignment.isNudged) {
    if (assignment.outputSchema !== undefined) {
      const words = lastAnswerText(state);
      return [
        taskFinished(assignment, 'failed', `It ended in plain text, without the result that was asked for: ${words}`),
      ];
    }
    const summary = lastAnswerText(state);
    const envelope = { ...emptyEnvelope, summary };
    const message = 'It ended in plain text.';
    const { instance } = assignment;
    return [{ type: 'task.finished', data: { instance, outcome: 'completed', message, envelope } }];
  }
  if (assignment.isBackground && !assignment.isIdleOver) return [];
  const turn = state.turns + 1;
  return [
    { type: 'task.nudged', data: { instance: assignment.instance } },
    { type: 'turn.started', data: { turn, cause: 'nudge' } },
    {
      type: 'message.added',
      data: { message: { role: 'user', content: [{ type: 'text', text: nudge }], source: 'engine' } },
    },
  ];
}

const emptyEnvelope = {
  filesChanged: [],
  verification: [],
  limitations: [],
  risks: [],
  followUps: [],
  artifacts: [],
};

function lastAnswerText({ messages, lastTurn }: State): string {
  const last = messages.findLast((message) => message.role === 'assistant');
  const text = last?.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('') ?? '';
  return text.trim() === '' ? (lastTurn?.message ?? '') : text.trim();
}

function taskFinished(
  { instance }: AssignedWork,
  outcome: 'failed' | 'cancelled' | 'blocked',
  message: string,
): EventBody {
  return { type: 'task.finished', data: { instance, outcome, message, envelope: null } };
}
