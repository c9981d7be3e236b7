/** The tasks of a session, as their owner records them. */
import type { DurableEvent, EventData, TaskStatus } from '@pawl/protocol';
import { addCost, addUsage, noUsage } from '../spending/usage.ts';
import type { State } from '../state.ts';
import type { ChildCommand, Task } from './state.ts';
import { findTask, openTasks } from './tasks.ts';

/** The id of the timer that fires when a task should have ended by itself. */
export const deadlineTimer = ({ id, instance }: Pick<Task, 'id' | 'instance'>) => `timer:task:${id}:${instance}`;

export function evolveTasks(state: State, event: DurableEvent): void {
  switch (event.type) {
    case 'session.opened':
      for (const task of openTasks(state)) task.isInterrupted = true;
      break;
    case 'session.forked':
      disownTasks(state);
      break;
    case 'session.configured':
    case 'rule.added':
    case 'rule.removed':
      queueForTasks(state, event);
      break;
    case 'message.added': {
      const { message } = event.data;
      const reported = message.role === 'user' && message.task !== undefined && findTask(state, message.task);
      if (reported) reported.isReported = true;
      break;
    }
    case 'timer.fired':
      for (const task of state.tasks) if (event.data.timer === deadlineTimer(task)) task.isOverdue = true;
      break;
    case 'task.requested':
      state.tasks.push(newTask(state, event.data));
      break;
    case 'task.joined':
    case 'task.started':
    case 'task.changed':
    case 'task.sent':
    case 'task.delivered':
    case 'task.reopened':
    case 'task.cancelled':
    case 'task.ended': {
      const task = findTask(state, event.data.task);
      if (task !== undefined) evolveTask(state, task, event);
      break;
    }
  }
}

type TaskEvent = Extract<
  DurableEvent,
  {
    type:
      | 'task.joined'
      | 'task.started'
      | 'task.changed'
      | 'task.sent'
      | 'task.delivered'
      | 'task.reopened'
      | 'task.cancelled'
      | 'task.ended';
  }
>;

function evolveTask(state: State, task: Task, event: TaskEvent): void {
  switch (event.type) {
    case 'task.joined':
      task.calls.push(event.data.call);
      task.isBackground ||= event.data.isBackground;
      break;
    case 'task.started':
      task.phase = 'live';
      task.status = 'running';
      task.allotment = event.data.allotment;
      task.startedAt = event.at;
      break;
    case 'task.changed':
      task.status = event.data.status ?? task.status;
      task.isStalled = event.data.isStalled ?? task.isStalled;
      task.isBegun = true;
      task.hasSession = true;
      break;
    case 'task.sent': {
      const { message, text, delivery } = event.data;
      const by = { kind: 'agent' as const, id: ownerId(state.session) };
      task.pendingCommands.push({ id: message, by, body: { type: 'input.send', data: { text, delivery } } });
      break;
    }
    case 'task.delivered':
      removeDelivered(task, event.data);
      break;
    case 'task.reopened': {
      const { instance, reason } = event.data;
      const again = { phase: 'queued', status: 'queued', outcome: null, message: null, envelope: null } as const;
      Object.assign(task, again, { instance, order: reason, isReported: false, isBackground: true, cancel: null });
      task.isOverdue = false;
      task.isInterrupted = false;
      task.unread = [];
      task.isBegun = false;
      task.turn = state.turn?.number ?? 0;
      task.history.push({ instance, reason, outcome: null, message: null });
      break;
    }
    case 'task.cancelled':
      task.cancel ??= { reason: event.data.reason, isOutOfTime: event.data.isOutOfTime === true };
      break;
    case 'task.ended':
      endTask(task, event.data);
      break;
    default:
      event satisfies never;
  }
}

/** The id of the client that sends the owner's commands to a task's session. */
export const ownerId = (session: string) => `owner:${session}`;

function newTask(state: State, data: EventData['task.requested']): Task {
  const { task, call, ...rest } = data;
  const { prompt, context, outputSchema } = data;
  const wanted =
    outputSchema === undefined
      ? undefined
      : `Give complete a result that satisfies this JSON Schema: ${JSON.stringify(outputSchema)}`;
  const order = [prompt, context, wanted].filter((part) => part !== undefined).join('\n\n');
  return {
    ...rest,
    id: task,
    calls: call === undefined ? [] : [call],
    turn: state.turn?.number ?? 0,
    phase: 'queued',
    status: 'queued',
    instance: 1,
    order,
    allotment: null,
    startedAt: 0,
    isStalled: false,
    isBegun: false,
    hasSession: false,
    isOverdue: false,
    isInterrupted: false,
    cancel: null,
    pendingCommands: [],
    unread: [],
    isReported: false,
    isForeign: false,
    outcome: null,
    message: null,
    envelope: null,
    usage: noUsage,
    costUsd: 0,
    filesChanged: [],
    history: [{ instance: 1, reason: data.prompt, outcome: null, message: null }],
  };
}

function endTask(task: Task, data: EventData['task.ended']): void {
  const { outcome, message, envelope, usage, costUsd, filesChanged } = data;
  task.phase = 'ended';
  task.status = statusAfter[outcome];
  task.outcome = outcome;
  task.message = message;
  task.envelope = envelope;
  task.allotment = null;
  task.isStalled = false;
  // Commands that change rules and settings wait until the task is reopened.
  task.unread.push(...task.pendingCommands.flatMap(messageTextIn));
  task.pendingCommands = task.pendingCommands.filter(({ body }) => body.type !== 'input.send');
  // A call that waits for the task reports its end itself.
  task.isReported = !task.isBackground;
  task.usage = addUsage(task.usage, usage);
  task.costUsd = addCost(task.costUsd, costUsd);
  task.filesChanged = [...new Set([...task.filesChanged, ...filesChanged])];
  const last = task.history.at(-1);
  if (last !== undefined) Object.assign(last, { outcome, message });
}

function removeDelivered(task: Task, { letter: id, refusal }: EventData['task.delivered']): void {
  const letter = task.pendingCommands.find((other) => other.id === id);
  task.pendingCommands = task.pendingCommands.filter((other) => other !== letter);
  if (letter !== undefined && refusal !== undefined) task.unread.push(...messageTextIn(letter));
}

const messageTextIn = ({ body }: ChildCommand): string[] => (body.type === 'input.send' ? [body.data.text] : []);

const statusAfter: Record<EventData['task.ended']['outcome'], TaskStatus> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  out_of_time: 'out_of_time',
  blocked: 'waiting_on_owner',
};

/** Changes of the owner's permissions are passed on to its tasks. */
function queueForTasks(state: State, event: DurableEvent): void {
  const bodies = commandsFor(event);
  if (bodies.length === 0 || event.by.kind === 'engine') return;
  const person = { kind: event.by.kind, id: event.by.id };
  const owner = { kind: 'agent' as const, id: ownerId(state.session) };
  const letters = bodies.map((body, index): ChildCommand => {
    const isOwnRule = event.type !== 'session.configured';
    const id = `${state.session}:${event.seq}${index === 0 ? '' : `:${index}`}`;
    return { id, by: isOwnRule ? person : owner, body };
  });
  for (const task of state.tasks) {
    const isThere = task.phase === 'live' || task.instance > 1 || task.phase === 'ended';
    if (isThere && !task.isForeign) task.pendingCommands.push(...letters);
  }
}

function commandsFor(event: DurableEvent): ChildCommand['body'][] {
  switch (event.type) {
    case 'rule.added':
      return [{ type: 'rule.add', data: event.data }];
    case 'rule.removed':
      return event.data.list === 'allow' ? [{ type: 'rule.remove', data: event.data }] : [];
    case 'session.configured': {
      const { mode, isAttended, profile } = event.data;
      const data = { ...(mode !== undefined && { mode }), ...(isAttended !== undefined && { isAttended }) };
      const configured: ChildCommand['body'][] =
        Object.keys(data).length === 0 ? [] : [{ type: 'session.configure', data }];
      return [...configured, ...rulesThatNarrow(profile)];
    }
    default:
      return [];
  }
}

/** Deny and ask rules of another agent hold for the tasks below it; its allow rules do not. */
function rulesThatNarrow(profile: EventData['session.configured']['profile']): ChildCommand['body'][] {
  const { deny = [], ask = [] } = profile?.rules ?? {};
  return [
    ...deny.map((rule): ChildCommand['body'] => ({ type: 'rule.add', data: { list: 'deny', rule } })),
    ...ask.map((rule): ChildCommand['body'] => ({ type: 'rule.add', data: { list: 'ask', rule } })),
  ];
}

/** A fork keeps the records; the tasks themselves stay with the original session. */
function disownTasks(state: State): void {
  for (const task of state.tasks) {
    task.isForeign = true;
    task.pendingCommands = [];
    task.isReported = true;
    if (task.phase === 'ended') continue;
    Object.assign(task, { phase: 'ended', status: 'failed', outcome: 'failed', allotment: null });
    task.message = 'It stayed with the session that this one was forked from.';
  }
}
