/** What do we know now? The fold of the log: the only place that changes a state. */
import type { AssistantMessage, DurableEvent, EventData, ToolMessage, Usage, UserMessage } from '@pawl/protocol';
import { callKey, loopWindow } from './calls.ts';
import { repairHistory } from './repair.ts';
import type { Call, QueuedInput, State, Turn } from './state.ts';
import { mergeLimits, noUsage } from './state.ts';
import { addCost, addUsage, totalTokens } from './usage.ts';

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
      const { limits, model, modelInfo, agent, mode, isAttended } = event.data;
      const { settings } = state;
      if (model !== undefined) settings.model = model;
      if (modelInfo !== undefined) settings.modelInfo = modelInfo;
      if (agent !== undefined) settings.agent = agent;
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
      break;
    }
    case 'stage.declared':
      state.stage = event.data.stage;
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
    case 'step.started': {
      const turn = state.turn;
      if (turn === null) break;
      turn.step = event.data.step;
      state.checkedMessages = state.messages.length;
      turn.phase = 'model';
      turn.attempt = 1;
      turn.calls = [];
      break;
    }
    case 'message.added': {
      const { message } = event.data;
      if (message.role === 'user') addUserMessage(state, message, event.seq);
      else addAnswer(state, message, event.seq);
      break;
    }
    case 'model.failed': {
      const turn = state.turn;
      if (turn === null) break;
      const { usage = noUsage, costUsd = 0 } = event.data;
      addSpending(state, usage, costUsd);
      if (event.data.error.code === 'empty_answer' && turn.attempt === 1) {
        turn.attempt = 2;
        break;
      }
      turn.phase = 'between';
      turn.ending = { outcome: 'failed', message: event.data.error.message };
      break;
    }
    case 'history.repaired':
      state.messages = repairHistory(state.messages, event.data.repairs, event.seq);
      state.checkedMessages = state.messages.length;
      break;

    case 'tool.judged': {
      const call = findCall(state, event.data.call);
      if (call === undefined) break;
      call.judgement = event.data;
      call.claims = { effect: event.data.effect, paths: event.data.paths };
      call.isStale = false;
      // A diff that the approver has not seen is shown before it is made; a text only says what they allowed.
      const { preview } = event.data;
      const isSeen = preview?.kind !== 'diff' || preview.text === call.approved?.preview;
      const isAnswered = call.approved !== null && isSeen;
      call.status = event.data.verdict === 'ask' && isAnswered ? 'allowed' : statusAfter[event.data.verdict];
      break;
    }
    case 'tool.deferred': {
      const call = findCall(state, event.data.call);
      if (call === undefined) break;
      call.status = 'deferred';
      call.round += 1;
      call.behind = event.data.behind;
      call.approved = null;
      call.claims = { effect: event.data.effect, paths: event.data.paths };
      break;
    }
    case 'tool.outdated': {
      const call = findCall(state, event.data.call);
      if (call === undefined) break;
      judgeAgain(call);
      call.approved = null;
      break;
    }
    case 'approval.requested': {
      const call = findCall(state, event.data.call);
      if (call === undefined) break;
      call.approval = { round: call.round, expiresAt: event.data.expiresAt, isExpired: false };
      // Another question than the one that was answered before.
      call.answer = null;
      break;
    }
    case 'approval.resolved': {
      const call = findCall(state, event.data.call);
      if (call === undefined) break;
      const { decision, reason, input } = event.data;
      if (decision !== 'allow') {
        call.approval = null;
        call.status = 'refused';
      } else if (input !== undefined) {
        call.input = input;
        judgeAgain(call);
        call.approved = { preview: null };
      } else if (call.isStale) {
        const preview = call.judgement?.preview?.text ?? null;
        judgeAgain(call);
        call.approved = { preview };
      } else {
        call.approval = null;
        call.status = 'allowed';
      }
      call.answer = { decision, reason: reason ?? null, by: event.by };
      break;
    }
    case 'tool.started': {
      const call = findCall(state, event.data.call);
      if (call === undefined) break;
      call.status = 'running';
      call.isInterrupted = false;
      break;
    }
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

/**
 * The driver that ran this call is gone. Where events were lost with damage, nobody knows how far a call had come,
 * so each one that is open counts as begun.
 */
function interrupt(call: Call, isDamaged: boolean): void {
  if (isDamaged && call.status !== 'finished') {
    call.status = 'running';
    call.claims = null;
  }
  call.isInterrupted = call.status === 'running';
}

/** What was judged by other rules or in another mode is judged again before it begins. */
function reconsider(state: State): void {
  for (const call of state.turn?.calls ?? []) {
    if (call.status === 'proposed') call.round += 1;
    if (call.status === 'asking') call.isStale = true;
    if (call.status === 'allowed') {
      const preview = call.judgement?.preview?.text ?? null;
      const isAnswered = call.answer?.decision === 'allow';
      judgeAgain(call);
      if (isAnswered) call.approved = { preview };
    }
  }
}

const statusAfter = { allow: 'allowed', ask: 'asking', deny: 'refused' } as const;

/** The id of the effect that rings when a turn's time is up; another limit is another timer. */
export const turnTimer = (turn: number, durationMs: number | null) => `timer:turn:${turn}:${durationMs}`;
/** The id of the effect that rings when an approval's time is up. */
export const approvalTimer = (call: Pick<Call, 'id'>, round: number) => `timer:approval:${call.id}:${round}`;

export function findCall(state: State, id: string): Call | undefined {
  return state.turn?.calls.find((call) => call.id === id);
}

function startTurn(state: State, data: EventData['turn.started'], event: DurableEvent): Turn {
  return {
    number: data.turn,
    by: state.queue.find((input) => input.id === data.input)?.by ?? event.by,
    startedAt: event.at,
    step: 0,
    phase: 'between',
    attempt: 1,
    calls: [],
    cancel: null,
    isOverTime: false,
    ending: null,
    review: data.review ?? false,
    isForked: false,
    usage: noUsage,
    costUsd: 0,
    unattendedDenials: 0,
  };
}

/** A fork takes the history and nothing that runs. */
function leaveBehind(turn: Turn, event: DurableEvent): void {
  turn.cancel = { by: event.by, reason: 'The session was forked here.', queue: 'run', inputs: [] };
  turn.isForked = true;
  if (turn.phase !== 'tools') turn.phase = 'between';
}

function removeInput(state: State, id: string): void {
  state.queue = state.queue.filter((input) => input.id !== id);
}

function pushMessage(state: State, message: Message, seq: number): void {
  state.messages.push({ ...message, id: `m${seq}` });
}
type Message = UserMessage | AssistantMessage | ToolMessage;

function addUserMessage(state: State, message: UserMessage, seq: number): void {
  if (message.input !== undefined) removeInput(state, message.input);
  if (message.source === 'input') state.task ??= message.content.map((part) => part.text).join('\n');
  for (const part of message.content) state.window.charactersSince += part.text.length;
  pushMessage(state, message, seq);
}

function addAnswer(state: State, message: AssistantMessage, seq: number): void {
  pushMessage(state, message, seq);
  // What a cut answer cost its provider did not say. It is followed by the event that says why it was cut.
  if (message.isPartial === true) return;
  addSpending(state, message.usage, message.costUsd);
  const turn = state.turn;
  const counted = totalTokens(message.usage);
  if (counted > 0) state.window = { tokens: counted, charactersSince: 0 };
  if (turn === null) return;
  turn.calls = message.content.filter((part) => part.type === 'tool_call').map(proposedCall);
  turn.phase = turn.calls.length > 0 ? 'tools' : 'between';
  turn.ending = turn.calls.length > 0 ? null : endingOf(message);
}

function addSpending(state: State, usage: Usage, costUsd: number | null): void {
  for (const sum of [state, state.turn]) {
    if (sum === null) continue;
    sum.usage = addUsage(sum.usage, usage);
    sum.costUsd = addCost(sum.costUsd, costUsd);
  }
}

function proposedCall(part: { id: string; tool: string; input: Call['input']; malformed?: string | undefined }): Call {
  return {
    id: part.id,
    tool: part.tool,
    input: part.input,
    malformed: part.malformed ?? null,
    status: 'proposed',
    round: 1,
    claims: null,
    behind: [],
    judgement: null,
    approval: null,
    approved: null,
    isStale: false,
    answer: null,
    isInterrupted: false,
    result: null,
  };
}

function endingOf(message: AssistantMessage): Turn['ending'] {
  switch (message.stopReason) {
    case 'end':
    case 'tool_calls':
      return { outcome: 'completed', message: 'The agent finished.' };
    case 'stop_sequence':
      return { outcome: 'completed', message: 'The agent stopped at a stop sequence.' };
    case 'output_limit':
      return {
        outcome: 'truncated',
        message: `The answer was cut at the output limit after ${message.usage.outputTokens} tokens.`,
      };
    case 'refusal':
      return { outcome: 'blocked', message: 'The model refused to answer.' };
    case 'pause':
      return null;
    default:
      return message.stopReason satisfies never;
  }
}

function judgeAgain(call: Call): void {
  call.status = 'proposed';
  call.round += 1;
  call.judgement = null;
  call.approval = null;
  call.answer = null;
}

function finishCall(state: State, data: EventData['tool.finished'], seq: number): void {
  const turn = state.turn;
  const call = findCall(state, data.call);
  if (turn === null || call === undefined) return;
  call.status = 'finished';
  call.approval = null;
  call.result = { call: call.id, tool: call.tool, status: data.status, content: data.content };
  if (data.isUnattended === true) turn.unattendedDenials += 1;
  if (data.endsTurn !== undefined) turn.ending = { outcome: 'completed', message: data.endsTurn };
  rememberFiles(state, data.details?.files);
  rememberCall(state, call, data);
  state.window.charactersSince += data.content.length;

  const results = turn.calls.flatMap((other) => (other.result === null ? [] : [other.result]));
  if (results.length < turn.calls.length) return;
  pushMessage(state, { role: 'tool', results }, seq);
  turn.phase = 'between';
}

function rememberFiles(state: State, files: unknown): void {
  if (typeof files !== 'object' || files === null) return;
  for (const [path, digest] of Object.entries(files)) {
    state.files.set(path, typeof digest === 'string' ? digest : null);
  }
}

function rememberCall(state: State, call: Call, data: EventData['tool.finished']): void {
  if (call.judgement?.rule === 'check loop') return;
  if (call.claims?.effect === 'write' && data.status === 'ok') {
    state.recentCalls = [];
    return;
  }
  state.recentCalls.push({ key: callKey(call), result: `${data.status} ${data.content}` });
  if (state.recentCalls.length > loopWindow) state.recentCalls.shift();
}

function fireTimer(state: State, timer: string): void {
  const turn = state.turn;
  if (turn === null) return;
  if (timer === turnTimer(turn.number, state.settings.limits.durationMs)) turn.isOverTime = true;
  for (const call of turn.calls) {
    if (call.approval !== null && timer === approvalTimer(call, call.approval.round)) call.approval.isExpired = true;
  }
}

/** What a canceller says of the queue holds for what was queued then; whatever was sent since runs. */
function endTurn(state: State, data: EventData['turn.ended']): void {
  const { queue = 'run', inputs = [] } = state.turn?.cancel ?? {};
  const sent = state.queue.filter((input) => input.delivery !== 'context');
  const isCovered = (input: QueuedInput) => inputs.includes(input.id);
  if (queue === 'wait' && sent.length > 0 && sent.every(isCovered)) state.isHeld = true;
  if (queue === 'commit') {
    state.queue = state.queue.map((input) => (isCovered(input) ? { ...input, delivery: 'context' } : input));
  }
  state.turn = null;
  state.lastTurn = data;
}
