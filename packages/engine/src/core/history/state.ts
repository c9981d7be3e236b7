import type { Message } from '@pawl/protocol';

/** A message of the history; its id is `m<seq>`, from the event that completed it. Never changed in place. */
export type HistoryMessage = Message & { readonly id: string };

/** What the model sees of the conversation. */
export type HistoryState = {
  messages: HistoryMessage[];
  /** Messages from here on have not been checked for repair. */
  checkedMessages: number;
  /** Digests of the images and documents in the history. */
  attachments: string[];
  /** Thinking in messages before this one was signed over a history that has changed since. */
  signedFrom: number;
  /** What the window holds: the last request and answer as counted by the provider, and what was added since. */
  window: { tokens: number; charactersSince: number };
};

export const initialHistory = (): HistoryState => ({
  messages: [],
  checkedMessages: 0,
  attachments: [],
  signedFrom: 0,
  window: { tokens: 0, charactersSince: 0 },
});
