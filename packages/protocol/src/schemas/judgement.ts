/** What is found out about a call before it runs. */
import { z } from 'zod';
import { approvers, judgedPart, question } from './work.ts';

/** What a tool does to the world: nothing, the same however often, a change on this machine, a change elsewhere. */
export const toolEffect = z.enum(['read', 'idempotent', 'write', 'external']);

/** What would change, with nothing changed: a diff for files, a plain text for other deeds. */
export const preview = z.object({
  kind: z.enum(['diff', 'text']),
  text: z.string(),
  added: z.number().int().min(0).optional(),
  removed: z.number().int().min(0).optional(),
  createdFiles: z.array(z.string()).optional(),
});

export const verdict = z.enum(['allow', 'ask', 'deny']);

export const judgement = z.object({
  call: z.string(),
  verdict,
  /** The rule, mode, check or tool that decided, for people: `deny bash(rm *)`, `mode auto`, `tool write`. */
  rule: z.string(),
  /** Why, as a sentence that the model may read. */
  reason: z.string().optional(),
  /** A deny that is a mistake in the call (unknown tool, bad arguments, a loop) rather than a prohibition. */
  isMistake: z.boolean().optional(),
  effect: toolEffect,
  /** Canonical paths that the call touches; empty when it names none. */
  paths: z.array(z.string()),
  preview: preview.optional(),
  /** What the preview and the verdict rest on; compared again at the moment of acting. */
  basis: z.string().optional(),
  /** Digests of the files that a read touches, null where there is none, if it was made in the turn before. */
  seen: z.record(z.string(), z.string().nullable()).optional(),
  /** What the tool needs to tell, after a crash, whether the deed was done. */
  evidence: z.json().optional(),
  /** Rules that an approver may add with the answer, narrowest first. */
  suggestions: z.array(z.string()).optional(),
  /** What the rules say of each part of a call that touches several things. */
  parts: z.array(judgedPart).optional(),
  /** Who may answer; anybody where there are none. */
  approvers: approvers.optional(),
  /** What a person is asked before the call runs. */
  questions: z.array(question).optional(),
  /** How long the answer is waited for, milliseconds; never longer than for an approval. */
  answerWithinMs: z.number().int().min(1).optional(),
});
