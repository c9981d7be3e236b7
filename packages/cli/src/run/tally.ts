/** What a script wants to know of a run in the end: a fold of its events. */
import { followAnswer, type LastAnswer, noAnswer } from '@pawl/engine/readers/answer';
import type { DurableEvent, EventData, Failure, JsonObject } from '@pawl/protocol';

type Denial = {
  /** The task whose call it was, such as `builder-1`; absent for the session's own. */
  task?: string;
  call: string;
  tool: string;
  input: JsonObject;
  rule: string;
  reason: string;
  isUnattended: boolean;
};

export type Tally = {
  /** The last thing the agent said in the last turn that ended or runs. */
  text: string;
  answer: LastAnswer;
  /** The last answer was only calls. */
  isSilent: boolean;
  turn: EventData['turn.ended'] | null;
  /** The last failed model call of that turn. */
  failure: Failure | null;
  denials: Denial[];
  /** What an earlier turn left behind, tasks or mail, came to its end. */
  hasCaughtUp: boolean;
  /** The turn was asked for a result that satisfies a schema. */
  isStructured: boolean;
  startedAt: number | null;
  endedAt: number | null;
  calls: Map<string, { tool: string; input: JsonObject; rule: string }>;
};

export function createTally(): Tally {
  return {
    text: '',
    answer: noAnswer,
    isSilent: false,
    turn: null,
    failure: null,
    denials: [],
    hasCaughtUp: false,
    isStructured: false,
    startedAt: null,
    endedAt: null,
    calls: new Map(),
  };
}

/** Takes one event of the session itself into `tally`, in place. */
export function count(tally: Tally, event: DurableEvent): void {
  countDenials(tally, event, null);
  switch (event.type) {
    case 'turn.started':
      tally.text = '';
      tally.answer = noAnswer;
      tally.failure = null;
      tally.isStructured = event.data.outputSchema !== undefined;
      tally.startedAt ??= event.at;
      break;
    case 'message.added': {
      const { message } = event.data;
      if (message.role !== 'assistant') break;
      tally.answer = followAnswer(tally.answer, message);
      const { text } = tally.answer;
      if (text !== '') tally.text = text;
      tally.isSilent = text.trim() === '';
      break;
    }
    case 'plan.written':
      // The plan is what was asked for, whatever was said beside it.
      tally.isSilent = true;
      break;
    case 'model.failed':
      tally.failure = event.data.error;
      break;
    case 'tool.finished': {
      const { endsTurn } = event.data;
      // What ends the turn is said last, unless the agent said it in words of its own.
      if (endsTurn !== undefined && tally.isSilent) tally.text = endsTurn;
      break;
    }
    case 'task.ended':
    case 'mail.delivered':
    case 'mail.failed':
      tally.hasCaughtUp = true;
      break;
    case 'turn.ended':
      tally.turn = event.data;
      tally.endedAt = event.at;
      break;
    default:
  }
}

/** Takes in what an event says of refused calls. `task` is the name of the task that it is of, or null. */
export function countDenials({ calls, denials }: Tally, event: DurableEvent, task: string | null): void {
  const keyOf = (call: string) => `${task ?? ''} ${call}`;
  switch (event.type) {
    case 'message.added': {
      const { message } = event.data;
      if (message.role !== 'assistant') break;
      for (const part of message.content) {
        if (part.type === 'tool_call') calls.set(keyOf(part.id), { tool: part.tool, input: part.input, rule: '' });
      }
      break;
    }
    case 'tool.judged': {
      const call = calls.get(keyOf(event.data.call));
      if (call !== undefined) call.rule = event.data.rule;
      break;
    }
    case 'approval.requested': {
      // Of a run that was taken up in the middle, the calls so far are proposed from here.
      const { call, tool, input, rule } = event.data;
      calls.set(keyOf(call), { tool, input, rule });
      break;
    }
    case 'approval.resolved': {
      const call = calls.get(keyOf(event.data.call));
      if (call !== undefined && event.data.input !== undefined) call.input = event.data.input;
      break;
    }
    case 'tool.finished': {
      const { call, status, content, isUnattended = false } = event.data;
      const proposed = calls.get(keyOf(call));
      if (status !== 'denied' || proposed === undefined) break;
      denials.push({ ...(task !== null && { task }), call, ...proposed, reason: content, isUnattended });
      break;
    }
    default:
  }
}
