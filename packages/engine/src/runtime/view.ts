/** A session at one moment, for showing. */
import type { SessionStatus, SessionView } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import type { State } from '../core/index.ts';
import { originOf, taskView, usableTokens, windowTokens } from '../core/index.ts';

export function viewOf(state: Readonly<State>): SessionView {
  const { settings, turn } = state;
  const { rules, limits, cwd, model, agent, mode } = settings;
  const tokens = windowTokens(state);
  const limitTokens = settings.modelInfo.contextTokens;
  return {
    session: state.session,
    seq: state.seq,
    status: statusOf(state),
    stage: state.stage,
    cwd,
    model,
    agent,
    mode,
    profile: settings.profile == null ? null : structuredClone(settings.profile),
    plan: state.plan,
    createdAt: state.createdAt,
    updatedAt: state.now,
    origin: settings.origin ?? {},
    metadata: { ...settings.metadata },
    turn: turn === null ? null : turnOf(turn),
    lastTurn: state.lastTurn,
    queue: state.queue.map(({ id, delivery, content }) => ({
      input: id,
      delivery,
      text: textOf(content),
    })),
    approvals: pendingApprovals(state),
    questions: pendingQuestions(state),
    todos: [...state.todos.items],
    tasks: state.tasks.map(taskView),
    mailUnderWay: state.mail.outbox.length,
    rules: { deny: [...rules.deny], ask: [...rules.ask], allow: [...rules.allow] },
    limits: { ...limits },
    usage: state.usage,
    costUsd: state.costUsd,
    context: {
      tokens,
      limitTokens,
      percent: Math.round((100 * tokens) / limitTokens),
      step: turn?.step ?? 0,
      maxSteps: limits.steps,
      messages: state.messages.length,
      usableTokens: usableTokens(settings.modelInfo),
      compactions: state.compactions.applied,
      isCompacting: state.compaction !== null,
    },
  };
}

function turnOf({ number, step, startedAt, loop }: NonNullable<State['turn']>): NonNullable<SessionView['turn']> {
  if (loop === null) return { number, step, startedAt };
  const { status, iteration, maxIterations } = loop;
  return { number, step, startedAt, loop: { status, iteration, maxIterations } };
}

function statusOf(state: Readonly<State>): SessionStatus {
  const { turn } = state;
  const isAsking = turn?.calls.some((call) => call.approval !== null) === true || turn?.phase === 'review';
  if (isAsking) return 'awaiting_approval';
  if (turn?.calls.some((call) => call.status === 'questioned') === true) return 'awaiting_answer';
  // A pause takes effect between steps; until then the session is running.
  if (state.isPaused && (turn === null || turn.phase === 'between')) return 'paused';
  return turn === null ? 'idle' : 'running';
}

function pendingApprovals(state: Readonly<State>): SessionView['approvals'] {
  const calls = state.turn?.calls.filter((call) => call.approval !== null) ?? [];
  return calls.map((call) => ({
    call: call.id,
    tool: call.tool,
    input: structuredClone(call.input),
    rule: call.judgement?.rule ?? '',
    suggestions: call.judgement?.suggestions ?? [],
    expiresAt: call.approval?.expiresAt ?? null,
    ...(call.judgement?.preview !== undefined && { preview: call.judgement.preview }),
    ...(call.judgement?.parts !== undefined && { parts: call.judgement.parts }),
    ...(call.judgement?.approvers !== undefined && { approvers: call.judgement.approvers }),
    ...originOf(state.settings),
  }));
}

function pendingQuestions(state: Readonly<State>): SessionView['questions'] {
  return (state.turn?.calls ?? []).flatMap(({ id, status, questions }) =>
    status === 'questioned' && questions !== null
      ? [{ call: id, questions: structuredClone([...questions.asked]), expiresAt: questions.expiresAt }]
      : [],
  );
}
