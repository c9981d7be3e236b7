/** How a conversation that outgrows the model's window is shortened. Nothing leaves the log. */
import { z } from 'zod';
import { usage } from './content.ts';

/** Whether compaction happens by itself, and at which share of what can be used of the window. */
export const compactionSettings = z.object({
  isOn: z.boolean(),
  /** Share of the usable window, from 0.1 to 0.95. */
  threshold: z.number().min(0.1).max(0.95),
});

/**
 * Why a compaction began: the window filled up, somebody asked, the model found the request too long, or its answers
 * were cut again and again.
 */
export const compactionCause = z.enum(['threshold', 'manual', 'overflow', 'cut']);

/** A file as it was when the summary was made. */
const keyFile = z.object({ path: z.string(), digest: z.string(), text: z.string() });

const number = z.number().int().min(1);
const spent = { usage: usage.optional(), costUsd: z.number().min(0).nullable().optional() };

/** Data of the events that change what the model sees of the history. */
export const compactionEvents = {
  /** The text of these results was taken out of what the model sees; `freedTokens` is an estimate. */
  'context.trimmed': z.object({
    results: z.array(z.object({ message: z.string(), call: z.string() })),
    freedTokens: z.number().int().min(0),
  }),
  /** Large content was taken out of what the model sees, of the history and of the last step; `text` stands in its place. */
  'context.removed': z.object({
    parts: z.array(
      z.object({
        message: z.string(),
        /** The call whose result it is. */
        call: z.string().optional(),
        /** Its place among the parts of what a person said, from 0. */
        part: z.number().int().min(0).optional(),
        text: z.string(),
      }),
    ),
    freedTokens: z.number().int().min(0),
    /** The model found a request too long, or a person asked for it. */
    cause: z.enum(['overflow', 'manual']),
  }),
  /** What comes up to and with the message `through` is to be summarised. */
  'compaction.started': z.object({
    compaction: number,
    cause: compactionCause,
    through: z.string(),
    /** What the window held. */
    tokens: z.number().int().min(0),
    /** What the summary should dwell on, as whoever asked for it says. */
    focus: z.string().optional(),
    /** No model is asked: it could not be, or it failed too often. */
    isMechanical: z.boolean().optional(),
  }),
  /** The summary is there, and waits for a moment between steps; a `digest` was made without a model. */
  'compaction.summarised': z.object({
    compaction: number,
    kind: z.enum(['summary', 'digest']),
    summary: z.string(),
    files: z.array(keyFile),
    recalled: z.array(z.string()),
    ...spent,
    /** Of a digest: why the model gave no summary. It counts as a failure. */
    problem: z.string().optional(),
    suspendedSteps: number.optional(),
  }),
  'compaction.failed': z.object({
    compaction: number,
    message: z.string(),
    ...spent,
    /** None is begun by itself for so many steps. */
    suspendedSteps: number.optional(),
  }),
  'compaction.cancelled': z.object({ compaction: number, reason: z.string(), suspendedSteps: number.optional() }),
  /** The message `content` stands for everything up to `through` from here on. Its id is `m<seq>`. */
  'context.compacted': z.object({
    compaction: number,
    through: z.string(),
    content: z.string(),
    tokensBefore: z.number().int().min(0),
    tokensAfter: z.number().int().min(0),
  }),
} as const;

/** Data of the commands about it. */
export const compactionCommands = {
  /** Compacts now, whether a turn runs or not. */
  'context.compact': z.object({ focus: z.string().optional() }),
  'compaction.cancel': z.object({}),
  /** Takes content out of what the model sees: a message, one result of it, or one part. Nothing leaves the log. */
  'context.remove': z.object({
    message: z.string(),
    call: z.string().optional(),
    part: z.number().int().min(0).optional(),
  }),
} as const;
