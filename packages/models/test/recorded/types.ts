import type { StopReason } from '@pawl/protocol';

/** What a recording says: a message, or the code of an error. */
export type Expected =
  | { error: string }
  | {
      stop: StopReason;
      /** Input outside the cache, read from it, output, reasoning. */
      tokens: [number, number, number, number];
      /** Beginnings of texts and thoughts, and the calls. */
      parts: (string | { tool: string; input: object })[];
    };
