/** A session as people read it: what was said, what was done, how each turn ended. A fold of the log. */
import type {
  AssistantMessage,
  DurableEvent,
  EventData,
  JsonObject,
  Origin,
  Preview,
  StopReason,
  ToolStatus,
  TurnOutcome,
  Usage,
} from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import { addCost, addUsage, noUsage } from '../core/spending/usage.ts';
import { mainArgument } from './argument.ts';
import { oneLine } from './visible.ts';
import { modelText } from './words.ts';

export type TranscriptCall = {
  id: string;
  tool: string;
  /** As the approver changed it, if one did. */
  input: JsonObject;
  /** What the model asked for, where an approver changed it. */
  originalInput: JsonObject | null;
  /** What the call is mainly about: a command, a path. */
  argument: string;
  /** `open` has no result yet. */
  status: ToolStatus | 'open';
  /** What the model saw of the result. */
  content: string | null;
  durationMs: number | null;
  /** The rule, mode or check that decided. */
  rule: string | null;
  preview: Preview | null;
  /** The answer to the question that was put, and who gave it. */
  answer: { decision: EventData['approval.resolved']['decision']; by: string; reason: string | null } | null;
  details: JsonObject | null;
};

export type TranscriptEntry =
  | {
      kind: 'user';
      /** `m<seq>`: what `fork` takes. */
      id: string;
      at: number;
      text: string;
      source: 'input' | 'context' | 'engine';
    }
  | {
      kind: 'assistant';
      id: string;
      at: number;
      model: string;
      text: string;
      thinking: string;
      calls: TranscriptCall[];
      stopReason: StopReason;
      isPartial: boolean;
    }
  | {
      kind: 'turn';
      at: number;
      turn: number;
      outcome: TurnOutcome;
      message: string;
      steps: number;
      costUsd: number | null;
    }
  /** Something about the session itself: forked, switched, repaired, a model call that failed. */
  | { kind: 'note'; at: number; text: string };

export type Transcript = {
  session: string;
  /** The first input on one line. */
  title: string;
  cwd: string;
  model: string;
  agent: string;
  /** For whom it works, and what else whoever began it wrote down. */
  origin: Origin;
  metadata: Record<string, string>;
  createdAt: number;
  updatedAt: number;
  forkedFrom: string | null;
  entries: TranscriptEntry[];
  usage: Usage;
  /** US dollars; null where a price is not known. */
  costUsd: number | null;
};

/** Reads a whole log. An empty one gives an empty transcript. */
export function transcribe(events: readonly DurableEvent[]): Transcript {
  const transcript: Transcript = {
    session: events[0]?.session ?? '',
    title: '',
    cwd: '',
    model: '',
    agent: '',
    origin: {},
    metadata: {},
    createdAt: events[0]?.at ?? 0,
    updatedAt: events.at(-1)?.at ?? 0,
    forkedFrom: null,
    entries: [],
    usage: noUsage,
    costUsd: 0,
  };
  const calls = new Map<string, TranscriptCall>();
  for (const event of events) take(transcript, calls, event);
  return transcript;
}

function take(transcript: Transcript, calls: Map<string, TranscriptCall>, event: DurableEvent): void {
  const note = (text: string) => transcript.entries.push({ kind: 'note', at: event.at, text });
  switch (event.type) {
    case 'session.created': {
      const { cwd, model, agent, metadata, origin = {} } = event.data;
      Object.assign(transcript, { cwd, model, agent, metadata, origin, createdAt: event.at });
      break;
    }
    case 'session.forked': {
      const { session, seq } = event.data.from;
      transcript.forkedFrom = session;
      // What was spent before was spent by the session this one was copied from.
      transcript.usage = noUsage;
      transcript.costUsd = 0;
      note(`Forked from session ${session}, after its event ${seq}.`);
      break;
    }
    case 'session.configured': {
      const { model, mode, agent } = event.data;
      if (model !== undefined) {
        transcript.model = model;
        note(`The model was switched to ${modelText(model)}.`);
      }
      if (mode !== undefined) note(`The permission mode was set to ${mode}.`);
      if (agent !== undefined) {
        transcript.agent = agent;
        note(`The agent was switched to ${agent}.`);
      }
      break;
    }
    case 'rule.added':
      note(`A rule was added: ${event.data.list} ${event.data.rule}.`);
      break;
    case 'rule.removed':
      note(`A rule was removed: ${event.data.list} ${event.data.rule}.`);
      break;
    case 'message.added': {
      const { message } = event.data;
      if (message.role === 'assistant') addAnswer(transcript, calls, message, event);
      else {
        const text = textOf(message.content);
        if (transcript.title === '' && message.source === 'input') transcript.title = oneLine(text);
        transcript.entries.push({ kind: 'user', id: `m${event.seq}`, at: event.at, text, source: message.source });
      }
      break;
    }
    case 'model.failed':
      addFailedCall(transcript, event.data);
      note(`The model call failed: ${event.data.error.message}`);
      break;
    case 'history.repaired':
      note(`The history was repaired: ${event.data.repairs.map((repair) => repair.why).join(' ')}`);
      break;
    case 'context.trimmed':
      note(
        `Old results were taken out of what the model sees: ${event.data.results.length}, about ${event.data.freedTokens} tokens.`,
      );
      break;
    case 'context.removed': {
      const { parts, cause, freedTokens } = event.data;
      const why = cause === 'overflow' ? 'a request was too long' : `by ${event.by.id}`;
      note(`Large content was taken out of what the model sees, ${why}: ${parts.length}, about ${freedTokens} tokens.`);
      break;
    }
    case 'context.compacted': {
      const { tokensBefore, tokensAfter } = event.data;
      note(`The conversation was compacted: from about ${tokensBefore} tokens to ${tokensAfter}.`);
      break;
    }
    case 'compaction.failed': {
      const { message, suspendedSteps } = event.data;
      note(
        `A compaction failed: ${message}${suspendedSteps === undefined ? '' : ` None is tried for ${suspendedSteps} steps.`}`,
      );
      break;
    }
    case 'compaction.cancelled':
      note(`A compaction was dropped: ${event.data.reason}`);
      break;
    case 'compaction.summarised': {
      const { usage, costUsd } = event.data;
      if (usage === undefined) break;
      transcript.usage = addUsage(transcript.usage, usage);
      transcript.costUsd = addCost(transcript.costUsd, costUsd ?? null);
      break;
    }
    case 'tool.judged': {
      const call = calls.get(event.data.call);
      if (call === undefined) break;
      call.rule = event.data.rule;
      call.preview = event.data.preview ?? null;
      break;
    }
    case 'approval.resolved': {
      const call = calls.get(event.data.call);
      if (call === undefined) break;
      const { decision, reason, input } = event.data;
      call.answer = { decision, by: event.by.id, reason: reason ?? null };
      if (input === undefined) break;
      call.originalInput ??= call.input;
      call.input = input;
      call.argument = mainArgument(input);
      break;
    }
    case 'tool.finished': {
      const call = calls.get(event.data.call);
      if (call === undefined) break;
      const { status, content, durationMs, details } = event.data;
      Object.assign(call, { status, content, durationMs: durationMs ?? null, details: details ?? null });
      break;
    }
    case 'loop.verified':
      note(event.data.problem ?? `The check ${event.data.ok ? 'passed' : 'failed'}.`);
      break;
    case 'mail.sent':
      note(`Mail to ${event.data.to} (${event.data.kind}): ${event.data.text}`);
      break;
    case 'mail.failed':
      note(`A mail was not delivered: ${event.data.message}`);
      break;
    case 'review.resolved':
      note(`The result was ${event.data.decision === 'approve' ? 'approved' : 'rejected'} by ${event.by.id}.`);
      break;
    case 'turn.ended': {
      const { turn, outcome, message, steps, costUsd } = event.data;
      transcript.entries.push({ kind: 'turn', at: event.at, turn, outcome, message, steps, costUsd });
      break;
    }
    case 'compaction.started':
    case 'session.opened':
    case 'session.paused':
    case 'session.resumed':
    case 'stage.declared':
    case 'todo.updated':
    case 'note.set':
    case 'tools.offered':
    case 'question.asked':
    case 'question.answered':
    case 'files.reverted':
    case 'input.queued':
    case 'input.edited':
    case 'input.removed':
    case 'turn.started':
    case 'context.gathered':
    case 'plan.written':
    case 'plan.accepted':
    case 'step.started':
    case 'tool.deferred':
    case 'tool.outdated':
    case 'tool.started':
    case 'approval.requested':
    case 'task.requested':
    case 'task.joined':
    case 'task.started':
    case 'task.changed':
    case 'task.sent':
    case 'task.delivered':
    case 'task.reopened':
    case 'task.cancelled':
    case 'task.ended':
    case 'task.assigned':
    case 'task.nudged':
    case 'task.finished':
    case 'timer.fired':
    case 'cancel.requested':
    case 'review.requested':
    case 'result.checked':
    case 'loop.changed':
    case 'mail.delayed':
    case 'mail.delivered':
    case 'mail.received':
    case 'mail.acknowledged':
      break;
    default:
      event satisfies never;
  }
}

function addAnswer(
  transcript: Transcript,
  calls: Map<string, TranscriptCall>,
  message: AssistantMessage,
  { seq, at }: DurableEvent,
): void {
  transcript.usage = addUsage(transcript.usage, message.usage);
  transcript.costUsd = addCost(transcript.costUsd, message.costUsd);
  const asked = message.content.filter((part) => part.type === 'tool_call').map(openCall);
  // Ids of calls begin anew in a fork's own turns; the latest of an id is the one that goes on.
  for (const call of asked) calls.set(call.id, call);
  transcript.entries.push({
    kind: 'assistant',
    id: `m${seq}`,
    at,
    model: message.model,
    text: joined(message.content.filter((part) => part.type === 'text')),
    thinking: joined(message.content.filter((part) => part.type === 'thinking')),
    calls: asked,
    stopReason: message.stopReason,
    isPartial: message.isPartial ?? false,
  });
}

/** What a call cost that brought no answer. Of a part of one, it stands there. */
function addFailedCall(transcript: Transcript, { usage, costUsd }: EventData['model.failed']): void {
  const last = transcript.entries.at(-1);
  if (usage === undefined || (last?.kind === 'assistant' && last.isPartial)) return;
  transcript.usage = addUsage(transcript.usage, usage);
  transcript.costUsd = addCost(transcript.costUsd, costUsd ?? null);
}

function openCall({ id, tool, input }: { id: string; tool: string; input: JsonObject }): TranscriptCall {
  return {
    id,
    tool,
    input,
    originalInput: null,
    argument: mainArgument(input),
    status: 'open',
    content: null,
    durationMs: null,
    rule: null,
    preview: null,
    answer: null,
    details: null,
  };
}

const joined = (parts: readonly { text: string }[]) => parts.map((part) => part.text).join('\n');
