import { z } from 'zod';
import { commandDefaults } from '../bounds.ts';
import { compactionCommands, compactionSettings } from './compaction.ts';
import { userPart } from './content.ts';
import { queueDisposition } from './events.ts';
import { mail, mailDraft } from './mail.ts';
import { agentProfile, limits, modelInfo, permissionMode } from './settings.ts';
import { taskCommandData } from './tasks.ts';
import { turnOptions } from './turn-options.ts';
import { answer } from './work.ts';

const ruleChange = z.object({ list: z.enum(['deny', 'ask', 'allow']), rule: z.string() });

/** Data of every command, by type. What a client may ask of a session. */
export const commandData = {
  /** Input for the agent. Its id is the command's. `reject` refuses it if a turn runs; the rest wait as their name says. */
  'input.send': z.object({
    content: z.array(userPart).min(1),
    delivery: z.enum(['queue', 'steer', 'interrupt', 'reject']).default(commandDefaults['input.send'].delivery),
    ...turnOptions.shape,
  }),
  'input.edit': z.object({ input: z.string(), content: z.array(userPart).min(1) }),
  'input.remove': z.object({ input: z.string() }),
  /** Adds a message to the history without a turn. */
  'context.add': z.object({ content: z.array(userPart).min(1) }),
  /** Says that a person put files back or forth again, and tells the model so. The files are not touched by it. */
  'files.report': z.object({
    direction: z.enum(['undo', 'redo']),
    files: z.record(z.string(), z.string().nullable()),
    content: z.array(userPart).min(1),
  }),
  /** Starts a turn without a message: goes on after a limit, a cancel or a failure. */
  'turn.continue': z.object({}),
  'turn.cancel': z.object({
    reason: z.string().optional(),
    queue: queueDisposition.default(commandDefaults['turn.cancel'].queue),
  }),
  /** Runs a failed turn again from where it failed. */
  'turn.retry': z.object({}),
  'session.pause': z.object({}),
  'session.resume': z.object({}),
  'session.rename': z.object({ title: z.string().trim().min(1).max(200) }),
  'session.archive': z.object({}),
  'session.unarchive': z.object({}),
  'session.configure': z.object({
    model: z.string().optional(),
    modelInfo: modelInfo.optional(),
    agent: z.string().optional(),
    /** Of the agent, as the host knows it, which fills it in. */
    profile: agentProfile.nullable().optional(),
    mode: permissionMode.optional(),
    isAttended: z.boolean().optional(),
    limits: limits.partial().optional(),
    compaction: compactionSettings.partial().optional(),
  }),
  /** Switches to this agent and starts a turn with the plan as its input. */
  'plan.execute': z.object({
    agent: z.string(),
    profile: agentProfile.nullable().optional(),
    model: z.string().optional(),
    modelInfo: modelInfo.optional(),
  }),
  'rule.add': ruleChange,
  'rule.remove': ruleChange,
  'approval.resolve': z.object({
    call: z.string(),
    decision: z.enum(['allow', 'deny']),
    reason: z.string().optional(),
    input: z.record(z.string(), z.json()).optional(),
    /** Rules to add for the rest of the session, together with the answer. */
    rules: z.array(ruleChange).optional(),
  }),
  /** Answers the questions of a call, one for each, in their order. */
  'question.answer': z.object({ call: z.string(), answers: z.array(answer) }),
  /** Refuses to answer them. */
  'question.decline': z.object({ call: z.string(), reason: z.string().optional() }),
  'review.resolve': z.object({ decision: z.enum(['approve', 'reject']), reason: z.string().optional() }),
  /** Writes to another session of the same tree. */
  'mail.send': mailDraft.extend({
    to: z.string(),
    artifacts: mailDraft.shape.artifacts.default([...commandDefaults['mail.send'].artifacts]),
  }),
  /** Hands a mail over. Its id is the mail's, and it comes from the session that wrote it. */
  'mail.receive': mail.extend({ from: z.string() }),
  /** A person has taken note of a mail. */
  'mail.acknowledge': z.object({ mail: z.string() }),
  /** Adds context for the agent and decides nothing. */
  feedback: z.object({ text: z.string().min(1) }),
  ...compactionCommands,
  ...taskCommandData,
} as const;
