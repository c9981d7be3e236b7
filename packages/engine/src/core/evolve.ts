/** What do we know now? The fold of the log: the only place that changes a state. */
import type { DurableEvent, UserMessage } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import { switchAgent } from './fold/agent.ts';
import { addAnswer, failModel } from './fold/answer.ts';
import { evolveCall, finishCall, interrupt, reconsider } from './fold/call.ts';
import { gather } from './fold/gather.ts';
import { evolveQuestion } from './fold/question.ts';
import { endTurn, fireTimer, leaveBehind, startTurn } from './fold/turn.ts';
import { repairHistory } from './repair.ts';
import type { State } from './state.ts';
import { mergeLimits, noUsage } from './state.ts';
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
      state.settings = structuredClone(event.data);
      break;
    }
    case 'session.opened':
      for (const call of state.turn?.calls ?? []) interrupt(call, event.data.damage !== undefined);
      break;
    case 'session.forked': {
      state.createdAt = event.at;
      state.queue = [];
      state.isHeld = false;
      state.isPaused = false;
      state.commands.clear();
      state.usage = noUsage;
      state.costUsd = 0;
      if (state.turn !== null) leaveBehind(state.turn, event);
      break;
    }
    case 'session.configured': {
      const { limits, model, modelInfo, mode, isAttended } = event.data;
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
      break;
    case 'rule.removed': {
      const { list, rule } = event.data;
      state.settings.rules[list] = state.settings.rules[list].filter((other) => other !== rule);
      if (list === 'allow') reconsider(state);
      break;
    }
    case 'stage.declared':
      state.stage = event.data.stage;
      break;
    case 'todo.updated':
      state.todos = { items: event.data.todos, age: 0 };
      break;
    case 'note.set':
      if (event.data.value === null) state.notes.delete(event.data.key);
      else state.notes.set(event.data.key, event.data.value);
      break;
    case 'tools.offered':
      state.offeredTools = [...new Set([...state.offeredTools, ...event.data.tools])];
      break;

    case 'input.queued': {
      const { input, delivery, content, review } = event.data;
      const queued = { id: input, delivery, content, review: review ?? false, by: event.by };
      if (delivery === 'interrupt') state.queue.unshift(queued);
      else state.queue.push(queued);
      if (delivery !== 'context') state.isHeld = false;
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
      gather(state, event.data);
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
      state.todos.age += 1;
      state.checkedMessages = state.messages.length;
      turn.phase = 'model';
      turn.attempt = 1;
      turn.hasBeenEmpty = false;
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
    case 'history.repaired':
      state.messages = repairHistory(state.messages, event.data.repairs, event.seq);
      state.checkedMessages = state.messages.length;
      state.signedFrom = state.messages.length;
      break;

    case 'tool.judged':
    case 'tool.deferred':
    case 'tool.outdated':
    case 'approval.requested':
    case 'approval.resolved':
    case 'tool.started':
      evolveCall(state, event);
      break;
    case 'question.asked':
    case 'question.answered':
      evolveQuestion(state, event);
      break;
    case 'tool.finished':
      finishCall(state, event.data, event.seq);
      break;

    case 'timer.fired':
      fireTimer(state, event.data.timer);
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
  if (message.input !== undefined) removeInput(state, message.input);
  if (message.source === 'input') state.task ??= textOf(message.content);
  for (const part of message.content) {
    state.window.charactersSince += charactersOf(part);
    if (part.type === 'file') state.attachments.push(part.digest);
  }
  state.messages.push({ ...message, id: `m${seq}` });
}
