/** What a command of the conversation works with. */
import type { Client, SessionClient } from '@pawl/protocol';
import type { Home } from '../home.ts';
import type { Tone } from '../model/items.ts';
import type { Model } from '../model/model.ts';
import type { Choice } from '../panels/picker.ts';

export type Commander = {
  home(): Home;
  model(): Model;
  /** The session that is shown, or null before there is one. */
  session(): SessionClient | null;
  /** The same, begun if need be. */
  needSession(): Promise<SessionClient>;
  client(): Client;
  configure(changes: Parameters<SessionClient['configure']>[0]): Promise<void>;
  notice(text: string, tone?: Tone): void;
  /** One of a list; null for none. */
  choose(title: string, choices: readonly Choice[], current?: string): Promise<string | null>;
  /** Shows another session in place of this one. */
  enter(session: string): Promise<void>;
  leaveSession(): void;
  /** Puts text where the person writes. */
  compose(text: string): void;
  /** Bytes for the terminal itself. */
  write(bytes: string): void;
  leave(): void;
};

export type Command = {
  name: string;
  /** What may follow it. */
  hint?: string;
  description: string;
  run(words: string, at: Commander): Promise<void> | void;
};
