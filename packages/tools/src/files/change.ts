import type { FormerEntry, ToolScope } from '@pawl/engine';
import type { Place } from '../paths.ts';
import { deltaOf } from './delta.ts';
import type { FileBytes } from './regular-file.ts';

/** A file as it is and as it shall be, worked out without touching it. Null: there is none. */
export type Change = {
  place: Place;
  before: FileBytes | null;
  after: Buffer | null;
  /** Both sides as text for people. */
  text: { before: string | null; after: string | null };
  /** Permission bits of a file that this creates; default as the system gives them. */
  mode?: number;
  /** The two sides of a move are two changes, shown as one. */
  moved?: { from: { shown: string; text: string } } | { to: string };
};

/** What stands for no file where digests are compared. */
export const absent = 'absent';

/** The digest of a file, or that there is none. */
export const stateOf = (file: Pick<FileBytes, 'digest'> | null) => file?.digest ?? absent;

/** What names the attempts at one call, on any machine and after any crash. */
export const markOf = ({ session, call }: Pick<ToolScope, 'session' | 'call'>) => `${session}\0${call}`;

/** `delta` is the digest of what leads to what is there after, if there is something. */
export function formerOf(before: Pick<FileBytes, 'digest' | 'mode'> | null, delta: string | null): FormerEntry {
  if (before === null) return null;
  return { kind: 'file', digest: before.digest, mode: before.mode, ...(delta !== null && { delta }) };
}

/** What must be kept so that a change can be undone and done again: its delta, or the one content there is. */
export function keptOf({ before, after }: Change): Buffer | null {
  if (before === null) return after;
  return after === null ? before.bytes : deltaOf(before.bytes, after);
}
