/** What do we know now? The fold of the log: the only place that changes a state. */
import type { DurableEvent, UserMessage } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import { defaultCompaction } from './compaction/window.ts';
import { switchAgent } from './fold/agent.ts';
import { addAnswer, failModel } from './fold/answer.ts';
import { assignedTo, evolveAssignment } from './fold/assignment.ts';
import { evolveCall, finishCall, interrupt, reconsider, rememberReverted } from './fold/call.ts';
import { evolveCompaction, noteMove } from './fold/compaction.ts';
import { gather } from './fold/gather.ts';
import { evolveLoop, noteTodos } from './fold/loop.ts';
import { evolveMail, noteInHistory, ringMail } from './fold/mail.ts';
import { noteAsked, notePin, noteReason } from './fold/pins.ts';
import { evolveQuestion } from './fold/question.ts';
import { checkResult } from './fold/result.ts';
import { evolveTask, leaveTasks, passDown, reportTask, wake } from './fold/task.ts';
import { endTurn, fireTimer, leaveBehind, startTurn } from './fold/turn.ts';
import { optionsOf } from './options.ts';
import { repairHistory } from './repair.ts';
import type { State } from './state.ts';
import { emptyMailbox, merged, mergeLimits, noUsage } from './state.ts';
import { openTasks } from './tasks/tasks.ts';
import { charactersOf } from './usage.ts';

/** Takes one event into `state`, in place, and returns it. Every event of a log leads here, whoever wrote it. */
export function evolve(state: State, event: DurableEvent): State {
  state.session = event.session;
  state.seq = event.seq;
  state.now = event.at;
  if (event.by.command !== undefined) {
    state.commands.set(event.by.command, { digest: event.by.digest ?? '', seq: event.seq });
  }

  switch (event.type) {
    case 'session.created': {
      state.createdAt = event.at;
      const { compaction = {}, assignment, ...settings } = structuredClone(event.data);
      state.settings = { ...settings, compaction: { ...defaultCompaction, ...compaction } };
      state.assignment = assignment === undefined ? null : assignedTo(assignment);
      break;
    }
    case 'session.opened':
      for (const call of state.turn?.calls ?? []) interrupt(call, event.data.damage !== undefined);
      for (const task of openTasks(state)) task.isInterrupted = true;
      break;
    case 'session.forked': {
      state.createdAt = event.at;
      state.queue = [];
      state.isHeld = false;
      state.isPaused = false;
      state.commands.clear();
      state.mail = emptyMailbox();
      state.usage = noUsage;
      state.costUsd = 0;
      state.compaction = null;
      if (state.turn !== null) leaveBehind(state.turn, event);
      leaveTasks(state);
      state.assignment = null;
      break;
    }
    case 'session.configured': {
      const { limits, model, modelInfo, mode, isAttended, compaction } = event.data;
      const { settings } = state;
      if (model !== undefined) settings.model = model;
      if (modelInfo !== undefined) settings.modelInfo = modelInfo;
      switchAgent(state, event.data);
      if (mode !== undefined && mode !== settings.mode) {
        settings.mode = mode;
        reconsider(state);
      }
      if (isAttended !== undefined) settings.isAttended = isAttended;
      if (limits !== undefined) settings.limits = mergeLimits(settings.limits, limits);
      if (compaction !== undefined) settings.compaction = merged(settings.compaction, compaction);
      passDown(state, event);
      break;
    }
    case 'session.paused':
      state.isPaused = true;
      break;
    case 'session.resumed':
      state.isPaused = false;
      state.isHeld = false;
      break;
    case 'rule.added':
      state.settings.rules[event.data.list].push(event.data.rule);
      if (event.data.list !== 'allow') reconsider(state);
      passDown(state, event);
      break;
    case 'rule.removed': {
      const { list, rule } = event.data;
      state.settings.rules[list] = state.settings.rules[list].filter((other) => other !== rule);
      if (list === 'allow') reconsider(state);
      passDown(state, event);
      break;
    }
    case 'stage.declared':
      state.stage = event.data.stage;
      break;
    case 'todo.updated':
      noteTodos(state, event.data.todos);
      state.todos = { items: event.data.todos, age: 0 };
      break;
    case 'note.set':
      if (event.data.value === null) state.notes.delete(event.data.key);
      else state.notes.set(event.data.key, event.data.value);
      break;
    case 'tools.offered':
      state.offeredTools = [...new Set([...state.offeredTools, ...event.data.tools])];
      break;

    case 'files.reverted':
      rememberReverted(state, event.data);
      break;
    case 'input.queued': {
      const { input, delivery, content, isFeedback = false } = event.data;
      const isMail = state.mail.inbox.some(({ mail }) => mail === input);
      const isSteering = !isMail && (isFeedback || delivery === 'steer' || delivery === 'interrupt');
      const queued = { id: input, delivery, content, options: optionsOf(event.data), isSteering, by: event.by };
      if (delivery === 'interrupt') state.queue.unshift(queued);
      else state.queue.push(queued);
      // Whoever has something new to do is not asked twice for the end of the old.
      if (state.assignment !== null) Object.assign(state.assignment, { isNudged: false, isIdleOver: false });
      // What another agent writes does not release what a person told to wait.
      if (delivery !== 'context' && !isMail) state.isHeld = false;
      break;
    }
    case 'input.edited': {
      const queued = state.queue.find((input) => input.id === event.data.input);
      if (queued !== undefined) queued.content = event.data.content;
      break;
    }
    case 'input.removed':
      removeInput(state, event.data.input);
      break;

    case 'turn.started':
      state.turns = event.data.turn;
      state.turn = startTurn(state, event.data, event);
      break;
    case 'context.gathered':
      gather(state, event.data, event.seq);
      break;
    case 'plan.written':
      state.plan = event.data.text;
      break;
    case 'plan.accepted':
      state.plan = null;
      break;
    case 'step.started': {
      const turn = state.turn;
      if (turn === null) break;
      turn.step = event.data.step;
      turn.profile = state.settings.profile ?? null;
      if (state.assignment !== null) state.assignment.steps += 1;
      state.todos.age += 1;
      state.compactions.suspendedSteps = Math.max(0, state.compactions.suspendedSteps - 1);
      state.checkedMessages = state.messages.length;
      turn.phase = 'model';
      turn.attempt = 1;
      turn.hasBeenEmpty = false;
      turn.timeouts = 0;
      turn.calls = [];
      break;
    }
    case 'message.added': {
      const { message } = event.data;
      if (message.role === 'user') addUserMessage(state, message, event.seq);
      else addAnswer(state, message, event.seq);
      break;
    }
    case 'model.failed':
      failModel(state, event.data);
      break;
    case 'history.repaired': {
      const before = state.messages;
      state.messages = repairHistory(before, event.data.repairs, event.seq);
      noteMove(state, before);
      state.checkedMessages = state.messages.length;
      state.signedFrom = state.messages.length;
      break;
    }
    case 'context.trimmed':
    case 'context.removed':
    case 'context.compacted':
    case 'compaction.started':
    case 'compaction.summarised':
    case 'compaction.failed':
    case 'compaction.cancelled':
      evolveCompaction(state, event);
      break;

    case 'tool.judged':
    case 'tool.deferred':
    case 'tool.outdated':
    case 'approval.requested':
    case 'approval.resolved':
    case 'tool.started':
      if (event.type === 'approval.resolved' && event.data.decision === 'deny') noteReason(state, event);
      evolveCall(state, event);
      break;
    case 'question.asked':
    case 'question.answered':
      evolveQuestion(state, event);
      break;
    case 'tool.finished':
      finishCall(state, event.data, event.seq);
      break;

    case 'result.checked':
      if (state.turn !== null) checkResult(state.turn, event.data);
      break;
    case 'loop.changed':
    case 'loop.verified':
      if (state.turn !== null) evolveLoop(state.turn, event);
      break;

    case 'mail.sent':
    case 'mail.delayed':
    case 'mail.delivered':
    case 'mail.failed':
    case 'mail.received':
    case 'mail.acknowledged':
      evolveMail(state, event);
      break;
    case 'task.requested':
    case 'task.joined':
    case 'task.started':
    case 'task.changed':
    case 'task.sent':
    case 'task.delivered':
    case 'task.reopened':
    case 'task.cancelled':
    case 'task.ended':
      evolveTask(state, event);
      break;
    case 'task.assigned':
    case 'task.nudged':
    case 'task.finished':
      evolveAssignment(state, event);
      break;

    case 'timer.fired':
      fireTimer(state, event.data.timer);
      ringMail(state, event.data.timer);
      break;
    case 'cancel.requested': {
      const turn = state.turn;
      if (turn === null) break;
      const { reason, queue } = event.data;
      const inputs = state.queue.map((input) => input.id);
      turn.cancel ??= { by: event.by, reason: reason ?? null, queue, inputs };
      break;
    }
    case 'review.requested':
      if (state.turn !== null) state.turn.phase = 'review';
      break;
    case 'review.resolved': {
      const turn = state.turn;
      if (turn === null) break;
      turn.review = false;
      turn.phase = 'between';
      if (event.data.decision === 'reject') {
        turn.ending = { outcome: 'failed', message: event.data.reason ?? 'The result was rejected in review.' };
        noteReason(state, event);
      }
      break;
    }
    case 'turn.ended':
      endTurn(state, event.data);
      break;
    default:
      event satisfies never;
  }
  return state;
}

function removeInput(state: State, id: string): void {
  state.queue = state.queue.filter((input) => input.id !== id);
}

function addUserMessage(state: State, message: UserMessage, seq: number): void {
  notePin(state, message, seq);
  noteAsked(state, message);
  if (message.input !== undefined) {
    removeInput(state, message.input);
    noteInHistory(state, message.input);
  }
  if (message.task !== undefined) reportTask(state, message.task);
  if (message.source === 'input') wake(state);
  if (message.source === 'engine' && state.turn !== null) state.turn.correction = null;
  if (message.source === 'input') state.task ??= textOf(message.content);
  for (const part of message.content) {
    state.window.charactersSince += charactersOf(part);
    if (part.type === 'file') state.attachments.push(part.digest);
  }
  state.messages.push({ ...message, id: `m${seq}` });
}
