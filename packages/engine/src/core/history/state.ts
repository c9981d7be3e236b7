import type { Message } from '@pawl/protocol';

/** A message of the history; its id is `m<seq>`, from the event that completed it. Never changed in place. */
export type HistoryMessage = Message & { readonly id: string };

/** The conversation as the model sees it. */
export type HistoryState = {
  messages: HistoryMessage[];
  /** Messages from here on have not been checked for repair. */
  checkedMessages: number;
  /** Digests of the images and documents in the history. */
  attachments: string[];
  /** Thinking in messages before this one was signed over a history that has changed since. */
  signedFrom: number;
  /** The fill of the window: tokens of the last request and answer as the provider counted them, and characters and files added since. */
  window: { tokens: number; charactersSince: number; filesSince: number };
};

/** A window right after the provider has counted it. */
export const countedWindow = (tokens: number): HistoryState['window'] => ({
  tokens,
  charactersSince: 0,
  filesSince: 0,
});

export const initialHistory = (): HistoryState => ({
  messages: [],
  checkedMessages: 0,
  attachments: [],
  signedFrom: 0,
  window: countedWindow(0),
});
