/** Work delegated to a child session: what it is given, where it stands, and what it gives back. */
import { z } from 'zod';
import { bounds } from '../bounds.ts';
import { usage } from './content.ts';
import { limits } from './settings.ts';

/** What a task may spend before it has to stop; null is none. Its owner's log holds it before the task may spend it. */
export const allotment = z.object({
  /** Model calls, in all its turns together. */
  steps: z.number().int().min(1),
  tokens: z.number().int().min(1).nullable(),
  /** US dollars. */
  usd: z.number().min(0).nullable(),
  durationMs: z.number().int().min(1).nullable(),
});

/** What a task gives its owner besides words. */
export const envelope = z.object({
  summary: z.string(),
  filesChanged: z.array(z.string()),
  /** What was run to see that it is right, and what came of it. */
  verification: z.array(z.string()),
  limitations: z.array(z.string()),
  risks: z.array(z.string()),
  followUps: z.array(z.string()),
  artifacts: z.array(z.string()),
  /** What a program can read of it, where its owner asked for that. */
  result: z.json().optional(),
});

/**
 * How a task, or one instance of it, ended; `blocked` waits for an answer of its owner, `out_of_time` was stopped by a limit
 * of its owner's time.
 */
export const taskOutcome = z.enum(['completed', 'failed', 'cancelled', 'out_of_time', 'blocked']);

/** Nobody wanted it so: a limit of time was reached. */
const isOutOfTime = z.literal(true).optional();

/** Where a live task stands. */
export const taskStatus = z.enum(['running', 'waiting_on_owner', 'waiting_on_task', 'idle']);

/** How a session delegates. */
export const taskSettings = z.object({
  /** Tasks below each other, from the main session. */
  depth: z.number().int().min(0),
  /** Tasks of one session that work at the same time; later ones wait their turn. */
  live: z.number().int().min(1),
  steps: z.number().int().min(1).max(bounds.maxSteps),
  durationMs: z.number().int().min(1),
  /** How long a background task may rest after plain text before it is nudged, milliseconds. */
  idleMs: z.number().int().min(1),
  /** How long a running task may be silent before a stall is suspected, milliseconds. */
  stallMs: z.number().int().min(1),
  /** Whether tasks go on when their owner's session is taken up again after its process was gone. */
  resume: z.enum(['continue', 'cancel']),
});

/** A rule that starts work when work ends. */
export const flow = z.object({
  name: z.string(),
  /** Of which agent, and how it ended. */
  when: z.object({ agent: z.string(), outcome: taskOutcome }),
  /** In `prompt`, `{{result}}` stands for what the agent said or gave. */
  start: z.object({ agent: z.string(), prompt: z.string(), scope: z.array(z.string()).optional() }),
});

/** The flow that asked for a task, what it followed from, and how many led to it. */
export const flowOrigin = z.object({
  name: z.string(),
  /** What ended: `turn:3`, `task:builder-1:2`. */
  from: z.string(),
  depth: z.number().int().min(1),
});

/** In a child's `session.created`: whose task it is. */
export const assignment = z.object({
  /** The owner's session. */
  parent: z.string(),
  /** The task's id in the owner's log. */
  task: z.string(),
  /** 1 below the main session. */
  depth: z.number().int().min(1),
  /** The tools it may use; absent for all. */
  tools: z.array(z.string()).optional(),
  /** Folders and patterns that it may change, its own and those of each owner above; what it changes lies in one of each. */
  scopes: z.array(z.array(z.string())),
  /** JSON Schema of the result that it has to give. */
  outputSchema: z.record(z.string(), z.json()).optional(),
  /** Keys of the work that it is part of: asking for it again would go round in circles. */
  keys: z.array(z.string()),
});

const task = z.string();
/** A task is worked at again each time it is re-opened: 1, 2, 3… */
const instance = z.number().int().min(1);

/** Data of the events of tasks. */
export const taskEventData = {
  /** The owner's intent: durable before the child exists. */
  'task.requested': z.object({
    task,
    /** The child's session. */
    session: z.string(),
    agent: z.string(),
    prompt: z.string(),
    context: z.string().optional(),
    tools: z.array(z.string()).optional(),
    scope: z.array(z.string()).optional(),
    /** The call that asked for it. */
    call: z.string().optional(),
    /** Whether the owner goes on meanwhile; else the call waits for it. */
    isBackground: z.boolean(),
    /** Whether the owner's turn waits for it before it ends. */
    isJoined: z.boolean(),
    /** What makes the same work the same. */
    key: z.string(),
    depth: z.number().int().min(1),
    /** What it may spend at most, of what its owner has left when it starts. */
    asked: allotment.partial(),
    planStep: z.string().optional(),
    /** JSON Schema of the result that it has to give. */
    outputSchema: z.record(z.string(), z.json()).optional(),
    flow: flowOrigin.optional(),
  }),
  /** A second call asked for the same work. */
  'task.joined': z.object({ task, call: z.string(), isBackground: z.boolean() }),
  /** Its turn has come: it may spend this. */
  'task.started': z.object({ task, instance, allotment }),
  'task.changed': z.object({
    task,
    status: taskStatus.optional(),
    /** Nothing was heard of it for a time. */
    isStalled: z.boolean().optional(),
  }),
  /** A message for the task, on its way. */
  'task.sent': z.object({
    task,
    message: z.string(),
    text: z.string(),
    delivery: z.enum(['queue', 'steer', 'interrupt']),
  }),
  /** What was sent has been taken by the task's session, or refused by it. */
  'task.delivered': z.object({ task, letter: z.string(), refusal: z.string().optional() }),
  /** It is worked at again, because of what was sent to it. */
  'task.reopened': z.object({ task, instance, reason: z.string() }),
  'task.cancelled': z.object({ task, reason: z.string(), isOutOfTime }),
  'task.ended': z.object({
    task,
    instance,
    outcome: taskOutcome,
    message: z.string(),
    envelope: envelope.nullable(),
    /** Of this instance, with all tasks below it. */
    steps: z.number().int().min(0),
    usage,
    costUsd: z.number().min(0).nullable(),
    filesChanged: z.array(z.string()),
    /** Calls refused because nobody was there to be asked. */
    unattendedDenials: z.number().int().min(0),
  }),

  /** In the task's own log: its owner gave it work. */
  'task.assigned': z.object({ instance, allotment, isBackground: z.boolean(), idleMs: z.number().int().min(1) }),
  /** In the task's own log: it rested without an end, and was asked for one. */
  'task.nudged': z.object({ instance }),
  /** In the task's own log: it is done, well or not. */
  'task.finished': z.object({
    instance,
    outcome: taskOutcome,
    message: z.string(),
    envelope: envelope.nullable(),
  }),
} as const;

/** Data of the commands of tasks. */
export const taskCommandData = {
  /** Delegates work. Its call, or else the command's id, is what makes it be started once. */
  'task.start': z.object({
    agent: z.string(),
    prompt: z.string().min(1),
    context: z.string().optional(),
    tools: z.array(z.string()).optional(),
    scope: z.array(z.string()).optional(),
    call: z.string().optional(),
    isBackground: z.boolean(),
    isJoined: z.boolean(),
    key: z.string().optional(),
    limits: limits.pick({ steps: true, tokens: true, usd: true, durationMs: true }).partial().optional(),
    planStep: z.string().optional(),
    outputSchema: z.record(z.string(), z.json()).optional(),
  }),
  /** A message to a task; one that has ended is re-opened by it. */
  'task.send': z.object({
    task,
    text: z.string().min(1),
    delivery: z.enum(['queue', 'steer', 'interrupt']).default('steer'),
  }),
  'task.cancel': z.object({ task, reason: z.string().optional() }),
  /** The owner gives the session work: the first, or more of it. */
  'task.assign': z.object({
    instance,
    allotment,
    isBackground: z.boolean(),
    idleMs: z.number().int().min(1),
    text: z.string(),
  }),
  /** The owner takes the work back. */
  'task.stop': z.object({ instance, reason: z.string(), isOutOfTime }),
} as const;
