/** What an agent asks of the person it works for, and what it shows of its work. */
import { z } from 'zod';

/** An answer to one question: options that were chosen, words of one's own, or both. */
export const answer = z.object({ choices: z.array(z.string()), text: z.string().optional() });

/** One question to the person. Without options it is answered in words. */
export const question = z.object({
  /** A word or two that stand for it, such as `Database`. */
  header: z.string(),
  text: z.string(),
  options: z.array(z.object({ label: z.string(), details: z.string().optional() })),
  /** Whether several options may be chosen. */
  isMultiple: z.boolean(),
  /** Whether words of one's own are an answer, beside or instead of options. */
  takesText: z.boolean(),
  /** The answer that holds where nobody gives one. */
  default: answer.optional(),
});

/**
 * What became of questions: a person `answered` or `declined`, nobody did in time, nobody was there to be asked, or
 * the turn was stopped.
 */
export const answerOutcome = z.enum(['answered', 'declined', 'timeout', 'unattended', 'cancelled']);

/** One thing on the agent's list. */
export const todo = z.object({ text: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) });

/** The people who may answer an approval: a group of the settings, by the ids of its clients; `*` is any person. */
export const approvers = z.object({ group: z.string(), members: z.array(z.string()) });

/** One part of a call that touches several things, and what the rules say of it. */
export const judgedPart = z.object({ text: z.string(), verdict: z.enum(['allow', 'ask', 'deny']), rule: z.string() });
