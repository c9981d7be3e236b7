/** Events of a session → what the terminal shows of it. Pure: each event gives a new model. */
import type { DurableEvent, PawlEvent, TransientEvent } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import { addItem, lineOf, settled } from './change.ts';
import { foldAnswer, foldStream, isStream } from './fold-answer.ts';
import { foldCall } from './fold-call.ts';
import { compactionText, mailText, noticeTone, verifiedText } from './happenings.ts';
import type { Model, RunningTurn } from './model.ts';

/** `now` is Unix milliseconds, for what is only broadcast and has no time of its own. */
export function fold(model: Model, event: PawlEvent, now: number): Model {
  return 'seq' in event ? foldDurable(model, event) : foldTransient(model, event, now);
}

/** What waits for an answer, in the session itself or in one of its tasks. */
export function foldAsked(model: Model, event: DurableEvent, task: string | null): Model {
  const { session } = event;
  const without = (call: string) => model.asked.filter((asked) => asked.session !== session || callOf(asked) !== call);
  switch (event.type) {
    case 'approval.requested':
      return {
        ...model,
        asked: [...without(event.data.call), { kind: 'approval', session, task, approval: event.data }],
      };
    case 'question.asked':
      return {
        ...model,
        asked: [...without(event.data.call), { kind: 'questions', session, task, questions: event.data }],
      };
    case 'approval.resolved':
    case 'question.answered':
      return { ...model, asked: without(event.data.call) };
    default:
      return model;
  }
}

const callOf = (asked: Model['asked'][number]): string =>
  asked.kind === 'approval' ? asked.approval.call : asked.questions.call;

const runningTurn = (turn: number, startedAt: number, step = 0): RunningTurn => ({
  turn,
  step,
  startedAt,
  activity: 'connecting',
  detail: null,
  isStopping: false,
});

function foldDurable(model: Model, event: DurableEvent): Model {
  const id = `e${event.seq}`;
  const line = (text: string, tone: Parameters<typeof lineOf>[2] = 'quiet') => addItem(model, lineOf(id, text, tone));
  switch (event.type) {
    case 'session.created': {
      const { agent, model: chosen, mode } = event.data;
      return { ...model, settings: { agent, model: chosen, mode } };
    }
    case 'session.configured': {
      if (model.settings === null) return model;
      const {
        agent = model.settings.agent,
        model: chosen = model.settings.model,
        mode = model.settings.mode,
      } = event.data;
      const hasSwitched = chosen !== model.settings.model;
      return { ...model, settings: { agent, model: chosen, mode }, ...(hasSwitched && { runningModel: null }) };
    }
    case 'session.paused':
      return { ...model, isPaused: true };
    case 'session.resumed':
      return { ...model, isPaused: false };
    // What waited and ran there stays there.
    case 'session.forked': {
      const copied = settled(model, event.at);
      const told = addItem(copied, lineOf(id, 'Copied up to here: what follows, the original does not see.', 'quiet'));
      return { ...told, queue: [], asked: [], tasks: [], turn: null, isPaused: false };
    }
    case 'input.queued': {
      const { input, delivery, content } = event.data;
      return { ...model, queue: [...model.queue, { input, delivery, text: textOf(content) }] };
    }
    case 'input.edited': {
      const { input, content } = event.data;
      const queue = model.queue.map((each) => (each.input === input ? { ...each, text: textOf(content) } : each));
      return { ...model, queue };
    }
    case 'input.removed':
      return { ...model, queue: model.queue.filter(({ input }) => input !== event.data.input) };
    case 'turn.started': {
      const { turn, input } = event.data;
      return {
        ...model,
        turn: runningTurn(turn, event.at),
        failure: null,
        queue: model.queue.filter((queued) => queued.input !== input),
      };
    }
    case 'step.started':
      return model.turn === null ? model : { ...model, turn: { ...model.turn, step: event.data.step } };
    case 'cancel.requested':
      return model.turn === null ? model : { ...model, turn: { ...model.turn, isStopping: true } };
    case 'message.added': {
      const { message } = event.data;
      if (message.role === 'assistant') return foldAnswer(model, message, event);
      const queue = model.queue.filter(({ input }) => input !== message.input);
      // The end of a task is told by its own card.
      if (message.task !== undefined) return { ...model, queue };
      const said = { kind: 'said' as const, id, text: textOf(message.content), source: message.source };
      return { ...addItem(model, said), queue };
    }
    case 'turn.ended': {
      const durationMs = model.turn === null ? null : event.at - model.turn.startedAt;
      const ended = addItem(settled(model, event.at), {
        kind: 'end',
        id,
        ended: event.data,
        durationMs,
        isTold: event.data.message === model.failure,
      });
      return { ...ended, turn: null };
    }
    case 'model.failed': {
      const { message } = event.data.error;
      return { ...line(message, 'error'), failure: message };
    }
    case 'history.repaired':
      return line(`The history was repaired: ${event.data.repairs.map(({ why }) => why).join(' ')}`);
    case 'context.trimmed':
    case 'context.removed':
    case 'context.compacted':
    case 'compaction.failed':
    case 'compaction.cancelled':
      return line(compactionText(event));
    case 'loop.verified':
      return line(verifiedText(event.data), event.data.ok ? 'plain' : 'warning');
    case 'mail.sent':
      return line(mailText(`to ${event.data.to}`, event.data));
    case 'mail.received':
      return line(mailText(`from ${event.data.from}`, event.data));
    case 'mail.failed':
      return line(`Mail was not delivered: ${event.data.message}`, 'warning');
    case 'stage.declared':
      return line(`◆ ${event.data.stage}`);
    case 'todo.updated':
      return addItem(model, { kind: 'todos', id, todos: event.data.todos });
    case 'plan.written':
      return { ...addItem(model, { kind: 'plan', id, text: event.data.text }), plan: event.data.text };
    case 'plan.accepted':
      return { ...line(`${event.data.agent} carries the plan out.`, 'plain'), plan: null };
    case 'task.requested': {
      const { task, prompt } = event.data;
      const tasks = [...model.tasks.filter((live) => live.task !== task), { task, prompt, doing: null }];
      return { ...addItem(model, { kind: 'task', id, task, prompt }), tasks };
    }
    case 'task.reopened': {
      const { task, reason } = event.data;
      const tasks = [...model.tasks.filter((live) => live.task !== task), { task, prompt: reason, doing: null }];
      return { ...line(`▸ ${task} again: ${reason}`, 'plain'), tasks };
    }
    case 'task.ended': {
      const tasks = model.tasks.filter(({ task }) => task !== event.data.task);
      return { ...addItem(model, { kind: 'task-end', id, ended: event.data }), tasks };
    }
    default:
      return foldCall(model, event);
  }
}

function foldTransient(model: Model, event: TransientEvent, now: number): Model {
  if (isStream(event)) return foldStream(model, event, now);
  switch (event.type) {
    case 'tool.progress':
      return foldCall(model, event);
    case 'activity': {
      if (model.turn === null) return model;
      const { activity, detail = null } = event.data;
      return { ...model, turn: { ...model.turn, activity, detail } };
    }
    case 'notice': {
      const id = `n${event.after}.${event.n}`;
      return addItem(model, lineOf(id, event.data.message, noticeTone[event.data.level]));
    }
    case 'stream.gap':
      return addItem(model, lineOf(`n${event.after}.${event.n}`, 'Some of what streamed was missed.', 'quiet'));
    default:
      return event satisfies never;
  }
}

/** What a task does right now. `name` may be that of a task below it: `builder-1.tester-2`. */
export function foldTaskEvent(model: Model, event: DurableEvent, name: string): Model {
  const [own = ''] = name.split('.');
  const doing = doingOf(event);
  if (doing === null) return model;
  return { ...model, tasks: model.tasks.map((live) => (live.task === own ? { ...live, doing } : live)) };
}

function doingOf(event: DurableEvent): string | null {
  switch (event.type) {
    case 'message.added': {
      if (event.data.message.role !== 'assistant') return null;
      const calls = event.data.message.content.flatMap((part) => (part.type === 'tool_call' ? [part.tool] : []));
      return calls.length > 0 ? calls.join(', ') : null;
    }
    case 'step.started':
      return `step ${event.data.step}`;
    case 'approval.requested':
      return `${event.data.tool} waits for an answer`;
    default:
      return null;
  }
}
