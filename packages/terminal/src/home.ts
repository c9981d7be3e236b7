/** What the program gives the terminal beside the client: the place that it works in, and what is not a session's. */
import type { Client, PermissionMode, SessionClient, UserPart } from '@pawl/protocol';
import type { Scope } from './panels/approval.ts';

/** One of a list to choose from. */
export type Entry = { value: string; label: string; details?: string };

/** How a command of the program ended: what it wrote, and whether it went well. */
export type Ran = { output: string; isOk: boolean };

export type Home = {
  client: Client;
  /** The folder that is worked in, absolute. */
  cwd: string;
  /** Before there is a session. */
  settings: { agent: string; model: string; mode: PermissionMode };
  /** The session to begin with, or null for a new one at the first input. */
  session: string | null;
  /** What to send at once. */
  prompt: UserPart[] | null;
  /** Begins a session, as the command line says. @throws the refusal. */
  create(): Promise<SessionClient>;
  /** Goes on with one. A session that another process drives is watched. @throws `no_session`, `session_locked`. */
  take(session: string): Promise<Taken>;
  /** Writes a rule that outlasts the session. @throws with a sentence for the person. */
  keepRule(scope: Exclude<Scope, 'session'>, rule: string): Promise<void>;
  /** What a rule does not cover, as a sentence, or null. */
  limitOf(rule: string): string | null;
  /** The model has answered for the first time. */
  answered(): void;
  /** Files of the folder, by their names from it, without what is ignored. */
  files(): Promise<readonly string[]>;
  branch(): Promise<string | null>;
  sessions(): Promise<readonly Entry[]>;
  agents(): Promise<readonly Entry[]>;
  models(): Promise<readonly Entry[]>;
  /** Takes back the file changes of the last turn, or does them again; gives what could not be done. @throws the refusal. */
  revert(session: string, direction: 'undo' | 'redo'): Promise<string>;
  /** A command of the program itself, such as `['context', id]`. */
  program(words: readonly string[]): Promise<Ran>;
  /** A command of the person's, in the folder. */
  shell(command: string, signal: AbortSignal): Promise<Ran>;
};

/** A session that was gone on with; `isGuest`: another process drives it. */
export type Taken = { client: Client; session: SessionClient; isGuest: boolean };
