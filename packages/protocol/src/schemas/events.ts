import { z } from 'zod';
import { compactionEvents, compactionSettings } from './compaction.ts';
import { assistantMessage, attempt, filePart, toolStatus, usage, userMessage, userPart } from './content.ts';
import { judgement, preview, toolEffect } from './judgement.ts';
import { mail } from './mail.ts';
import { origin } from './origin.ts';
import { agentProfile, limits, modelInfo, permissionMode, ruleSet } from './settings.ts';
import { fragment } from './surroundings.ts';
import { assignment, flow, taskEventData, taskSettings } from './tasks.ts';
import { loopStatus, turnOptions } from './turn-options.ts';
import { answer, answerOutcome, approvers, judgedPart, question, todo } from './work.ts';

/**
 * Who caused an event. `command` is the id of the command that asked for it and `digest` that command's
 * fingerprint, so that the same command is accepted once and another under its id is refused.
 */
export const actor = z.object({
  kind: z.enum(['human', 'agent', 'engine']),
  id: z.string(),
  command: z.string().optional(),
  digest: z.string().optional(),
});

export const turnOutcome = z.enum([
  'completed',
  'failed',
  'cancelled',
  'max_steps',
  'max_duration',
  'budget',
  'truncated',
  'blocked',
]);

/** When an input that arrives during a turn is taken up; `context` is added without a turn. */
export const inputDelivery = z.enum(['queue', 'steer', 'interrupt', 'context']);

/** What a cancel does with queued inputs: run them, keep them waiting, or add them to the history without a turn. */
export const queueDisposition = z.enum(['run', 'wait', 'commit']);

export const failure = z.object({ code: z.string(), message: z.string() });

/** What follows when a call of the model has failed. */
const afterFailure = z.discriminatedUnion('do', [
  z.object({ do: z.literal('retry') }),
  /** `orElse`: how the turn ends if there can be no compaction. */
  z.object({
    do: z.literal('compact'),
    cause: z.enum(['overflow', 'cut']),
    orElse: z.object({ outcome: turnOutcome, message: z.string() }),
  }),
  z.object({ do: z.literal('end'), outcome: turnOutcome, message: z.string() }),
]);

export const approvalDecision = z.enum(['allow', 'deny', 'timeout', 'cancelled']);

export const repair = z.discriminatedUnion('op', [
  z.object({ op: z.literal('drop_message'), message: z.string(), why: z.string() }),
  z.object({ op: z.literal('drop_result'), message: z.string(), call: z.string(), why: z.string() }),
  z.object({ op: z.literal('add_result'), message: z.string(), call: z.string(), tool: z.string(), why: z.string() }),
  z.object({ op: z.literal('restore_task'), text: z.string(), why: z.string() }),
]);

/** Data of every durable event, by type. Facts, in the past tense, in the order of a session's life. */
export const eventData = {
  'session.created': z.object({
    cwd: z.string(),
    model: z.string(),
    modelInfo,
    agent: z.string(),
    mode: permissionMode,
    /** Whether someone is there to answer; if not, an ask is a denial. */
    isAttended: z.boolean(),
    rules: ruleSet,
    limits,
    metadata: z.record(z.string(), z.string()),
    origin: origin.optional(),
    /** What the agent may do, if the host knows it. */
    profile: agentProfile.nullable().optional(),
    /** The mode for agents without their own, if this agent has its own. */
    modeOfSession: permissionMode.optional(),
    /** Whether surroundings are gathered before a turn. */
    gathersContext: z.boolean().optional(),
    compaction: compactionSettings.optional(),
    /** Set for a session that is a task; absent for a main session. */
    assignment: assignment.optional(),
    /** How it delegates; absent for the defaults. */
    tasks: taskSettings.partial().optional(),
    /** Flows: tasks that start when work ends. */
    flows: z.array(flow).optional(),
  }),
  /** A driver opened the session again. Written before anything else, so that an older driver's next append fails. */
  'session.opened': z.object({
    driver: z.string(),
    /** Events before this one were lost, for this reason. Calls that were open count as started. */
    damage: z.string().optional(),
  }),
  /** The events before this one were copied from another session. What was open there is closed here. */
  'session.forked': z.object({ from: z.object({ session: z.string(), seq: z.number().int() }) }),
  'session.configured': z.object({
    model: z.string().optional(),
    modelInfo: modelInfo.optional(),
    agent: z.string().optional(),
    profile: agentProfile.nullable().optional(),
    mode: permissionMode.optional(),
    isAttended: z.boolean().optional(),
    limits: limits.partial().optional(),
    compaction: compactionSettings.partial().optional(),
  }),
  'session.paused': z.object({}),
  'session.resumed': z.object({}),
  /** The title in lists, in place of the first input. */
  'session.renamed': z.object({ title: z.string() }),
  /** Lists leave it out unless they are asked for archived sessions; nothing else changes. */
  'session.archived': z.object({}),
  'session.unarchived': z.object({}),
  'rule.added': z.object({ list: z.enum(['deny', 'ask', 'allow']), rule: z.string() }),
  'rule.removed': z.object({ list: z.enum(['deny', 'ask', 'allow']), rule: z.string() }),
  'stage.declared': z.object({ stage: z.string() }),
  /** The agent's whole list. */
  'todo.updated': z.object({ todos: z.array(todo) }),
  /** A note of the session; null removes it. */
  'note.set': z.object({ key: z.string(), value: z.string().nullable() }),
  /** Tools of a large set that the model found; they are described to it from now on. */
  'tools.offered': z.object({ tools: z.array(z.string()) }),

  /** A person undid or redid changes of files: the digest of each by its path, null where there is no file now. */
  'files.reverted': z.object({
    direction: z.enum(['undo', 'redo']),
    files: z.record(z.string(), z.string().nullable()),
  }),

  'input.queued': z.object({
    input: z.string(),
    delivery: inputDelivery,
    content: z.array(userPart),
    ...turnOptions.shape,
    /** Put the turn's result up for review instead of ending the turn. */
    review: z.boolean().optional(),
    /** It tells how to do the work, and is kept through compactions. */
    isFeedback: z.boolean().optional(),
  }),
  'input.edited': z.object({ input: z.string(), content: z.array(userPart) }),
  'input.removed': z.object({ input: z.string() }),

  'turn.started': z.object({
    turn: z.number().int(),
    cause: z.enum(['input', 'continue', 'retry', 'nudge', 'task']),
    input: z.string().optional(),
    ...turnOptions.shape,
  }),
  /** Surroundings were gathered for this turn and agent; without `fragments` nothing has changed. */
  'context.gathered': z.object({
    turn: z.number().int(),
    agent: z.string(),
    fragments: z.array(fragment).optional(),
    /** Files that the session has read or written and that others have changed since; null for deleted. Reported once. */
    changedFiles: z.array(z.object({ path: z.string(), digest: z.string().nullable() })).optional(),
    /** Results of sources outside the engine, as the model sees them: together one message of the history, with the id `m<seq>`. */
    hydrated: z
      .array(
        z.object({
          region: z.enum(['hydrated', 'entities']),
          source: z.string(),
          text: z.string(),
          /** How many are in the text, and how many had no room in the region's budget. */
          entries: z.number().int().min(0),
          dropped: z.number().int().min(0),
          tokens: z.number().int().min(0),
        }),
      )
      .optional(),
  }),
  /** A plan that waits for a person to choose the agent that carries it out. */
  'plan.written': z.object({ text: z.string() }),
  /** A person gave the plan to this agent, as this input. */
  'plan.accepted': z.object({ agent: z.string(), input: z.string() }),
  'step.started': z.object({ turn: z.number().int(), step: z.number().int() }),
  /** A message's id is `m<seq>`, from the event that added it. */
  'message.added': z.object({
    message: z.discriminatedUnion('role', [userMessage, assistantMessage]),
    /** The part of an input that is kept verbatim for the life of the session; null for none. Early logs lack it. */
    pin: z.object({ text: z.string(), isCorrection: z.boolean() }).nullable().optional(),
    /** Calls of an answer that are not run, each with the reason. Early logs lack it. */
    refusedCalls: z.record(z.string(), z.string()).optional(),
  }),
  'model.failed': z.object({
    turn: z.number().int(),
    step: z.number().int(),
    attempt: z.number().int(),
    error: failure,
    /** Usage of the failed call, as far as its provider told; absent where nothing reached the model. */
    usage: usage.optional(),
    /** Cost of that in US dollars; null where it is not known. */
    costUsd: z.number().min(0).nullable().optional(),
    /** The request timed out and is tried again. */
    willRetry: z.boolean().optional(),
    /** What follows: another try, a compaction (or the end of the turn, if there can be none), or the end. */
    next: afterFailure.optional(),
    /** The tool of a call that the output limit cut off. */
    cutCall: z.string().optional(),
    /** The tries before it was given up. */
    attempts: z.array(attempt).optional(),
  }),
  /** The result of the turn was checked against its schema. */
  'result.checked': z.object({
    turn: z.number().int(),
    step: z.number().int(),
    /** The call that gave the result, where it was not the last answer. */
    call: z.string().optional(),
    isValid: z.boolean(),
    /** The valid result. */
    result: z.json().optional(),
    /** What was wrong, for the model. */
    problem: z.string().optional(),
    /** After a wrong result: it is asked for once more, or the turn fails. Absent in older logs: there the second one failed it. */
    consequence: z.enum(['repair', 'failure']).optional(),
  }),
  /** A turn with a target changed its status, or started its next iteration. */
  'loop.changed': z.object({
    turn: z.number().int(),
    iteration: z.number().int(),
    status: loopStatus,
    message: z.string().optional(),
  }),
  /** The person's check was run. */
  'loop.verified': z.object({
    turn: z.number().int(),
    iteration: z.number().int(),
    ok: z.boolean(),
    output: z.string(),
    /** It could not be run at all, and why. */
    problem: z.string().optional(),
  }),
  'history.repaired': z.object({ repairs: z.array(repair) }),
  ...compactionEvents,

  'tool.judged': judgement,
  /** The call waits for earlier ones that touch the same things, and is judged again after them. */
  'tool.deferred': z.object({
    call: z.string(),
    behind: z.array(z.string()),
    effect: toolEffect,
    paths: z.array(z.string()),
  }),
  /** The judgement no longer held when the call was to run. Nothing was touched; the call is judged again. */
  'tool.outdated': z.object({ call: z.string(), reason: z.string() }),
  'approval.requested': z.object({
    call: z.string(),
    tool: z.string(),
    input: z.record(z.string(), z.json()),
    rule: z.string(),
    /** Why, as a sentence; absent where the tool asks each time. */
    reason: z.string().optional(),
    preview: preview.optional(),
    suggestions: z.array(z.string()),
    /** Unix milliseconds; null waits for ever. */
    expiresAt: z.number().nullable(),
    parts: z.array(judgedPart).optional(),
    /** The group that is asked; others are not. */
    approvers: approvers.optional(),
    /** For whom the session works. */
    origin: origin.optional(),
    metadata: z.record(z.string(), z.string()).optional(),
  }),
  'approval.resolved': z.object({
    call: z.string(),
    decision: approvalDecision,
    reason: z.string().optional(),
    /** The arguments as the approver changed them; they are judged again. */
    input: z.record(z.string(), z.json()).optional(),
    /** The arguments before the change, and the difference in words. */
    edit: z.object({ original: z.record(z.string(), z.json()), summary: z.string() }).optional(),
  }),
  'question.asked': z.object({
    call: z.string(),
    questions: z.array(question),
    /** Unix milliseconds; null waits for ever. */
    expiresAt: z.number().nullable(),
  }),
  'question.answered': z.object({
    call: z.string(),
    outcome: answerOutcome,
    /** One for each question, in their order: a person's, or the defaults. Absent when some question has none. */
    answers: z.array(answer).optional(),
    reason: z.string().optional(),
  }),
  /** The intent: from here on the deed may have happened. */
  'tool.started': z.object({ call: z.string(), effect: toolEffect }),
  'tool.finished': z.object({
    call: z.string(),
    status: toolStatus,
    /** What the model sees, already truncated to its limits. */
    content: z.string(),
    /** Images and documents for the model. */
    files: z.array(filePart).optional(),
    /** It holds text from outside: of files, pages, programs. */
    isOutside: z.boolean().optional(),
    /** What the model must know about how the call came to run; separate only where `isOutside` sets the content apart. */
    remarks: z.string().optional(),
    /** For clients only: diff, counts, exit code, truncation, digest of the full output. */
    details: z.record(z.string(), z.json()).optional(),
    durationMs: z.number().min(0).optional(),
    /** The tool ends the turn, with this sentence. */
    endsTurn: z.string().optional(),
    /** Together with `endsTurn`: the agent cannot go on without a person. */
    isBlocked: z.boolean().optional(),
    /** Together with `endsTurn`: the result of the turn. */
    result: z.json().optional(),
    /** Denied because nobody was there to be asked. */
    isUnattended: z.boolean().optional(),
  }),

  /** The intent: the mail is owed until it is delivered or has failed. */
  'mail.sent': mail.extend({ to: z.string() }),
  /** It could not be delivered and is tried again. */
  'mail.delayed': z.object({ mail: z.string(), attempt: z.number().int(), message: z.string(), retryAt: z.number() }),
  /** It is in the log of its receiver. */
  'mail.delivered': z.object({ mail: z.string() }),
  /** It cannot be delivered; the agent is told. */
  'mail.failed': z.object({ mail: z.string(), message: z.string() }),
  /** Its text follows as an input with the same id. */
  'mail.received': mail.extend({ from: z.string() }),
  /** The model has answered a request that held it, or a person acknowledged it. */
  'mail.acknowledged': z.object({ mail: z.string(), how: z.enum(['read', 'by_hand']) }),
  ...taskEventData,

  'timer.fired': z.object({ timer: z.string() }),
  'cancel.requested': z.object({
    turn: z.number().int(),
    reason: z.string().optional(),
    queue: queueDisposition,
    /** Of a task: a limit of its owner's time is what stops it. */
    isOutOfTime: z.literal(true).optional(),
  }),
  'review.requested': z.object({ turn: z.number().int() }),
  'review.resolved': z.object({
    turn: z.number().int(),
    decision: z.enum(['approve', 'reject']),
    reason: z.string().optional(),
  }),
  'turn.ended': z.object({
    turn: z.number().int(),
    outcome: turnOutcome,
    message: z.string(),
    steps: z.number().int(),
    usage,
    costUsd: z.number().nullable(),
    /** Calls refused because nobody was there to be asked. */
    unattendedDenials: z.number().int(),
    /** The result that was asked for, besides the answer. */
    result: z.json().optional(),
    /** How far a turn with a target came. */
    loop: z.object({ status: loopStatus, iterations: z.number().int() }).optional(),
  }),
} as const;

/** Data of every transient event: broadcast, never stored. */
export const transientData = {
  /** The answer of a model call starts; text of this step that was streamed before is void. */
  'stream.started': z.object({ turn: z.number().int(), step: z.number().int(), model: z.string() }),
  'stream.text': z.object({ text: z.string() }),
  'stream.thinking': z.object({ text: z.string() }),
  'stream.input': z.object({ call: z.string(), tool: z.string(), text: z.string() }),
  /** The message so far, for a client that joined late; replaces what it had of this step. */
  'stream.snapshot': z.object({
    turn: z.number().int(),
    step: z.number().int(),
    model: z.string(),
    text: z.string(),
    thinking: z.string(),
    calls: z.array(z.object({ call: z.string(), tool: z.string(), text: z.string() })),
  }),
  /** The streamed text of this step is void: the call failed or is made again. */
  'stream.withdrawn': z.object({ turn: z.number().int(), step: z.number().int(), reason: z.string() }),
  /** This many transient events were missed. Durable events are never skipped. */
  'stream.gap': z.object({ missed: z.number().int() }),
  'tool.progress': z.object({
    call: z.string(),
    state: z.enum(['queued', 'running']),
    text: z.string().optional(),
    done: z.number().optional(),
    total: z.number().optional(),
  }),
  activity: z.object({
    activity: z.enum([
      'idle',
      'connecting',
      'waiting_headers',
      'waiting_first_token',
      'streaming',
      'executing',
      'awaiting_approval',
      'awaiting_answer',
      'retrying',
      'switching_key',
      'cooling',
      'compacting',
      'verifying',
    ]),
    detail: z.string().optional(),
  }),
  notice: z.object({ level: z.enum(['info', 'warning', 'error']), code: z.string(), message: z.string() }),
} as const;
