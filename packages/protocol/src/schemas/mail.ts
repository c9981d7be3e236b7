/** Mail between the sessions of one tree: an owner and the tasks that work for it. */
import { z } from 'zod';
import { bounds } from '../bounds.ts';

/** What a mail is about. */
export const mailKind = z.enum([
  'progress',
  'completed',
  'blocked',
  'decision_required',
  'risk_alert',
  'direction_change',
]);

/**
 * How it comes in: `notify` is read before the next call of the model, `urgent` starts a turn where none runs,
 * `interrupt` cancels the turn and runs in its place.
 */
export const mailPriority = z.enum(['notify', 'urgent', 'interrupt']);

/** What a session writes to another one. */
export const mailDraft = z.object({
  kind: mailKind,
  priority: mailPriority,
  text: z.string().min(1).max(bounds.maxMailCharacters),
  /** The mail that this one answers. */
  replyTo: z.string().optional(),
  /** What belongs to it: paths, digests, addresses. */
  artifacts: z.array(z.string()).max(50),
});

/** A mail on its way: its id is the command's by which it is accepted, once. `thread` is the first mail's id. */
export const mail = mailDraft.extend({ mail: z.string(), thread: z.string() });
