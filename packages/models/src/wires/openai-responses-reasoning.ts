import type { ModelEvent } from '@pawl/engine';
import { isPawlError } from '@pawl/protocol';

/**
 * A reasoning item is one or more texts, each a thinking part of its own; what the provider encrypted stands at the
 * last of them. The signature of a part names its item and which of the item's two lists it is from, so that the item
 * can go back exactly as it came: `rs_1` is a part of the summary, `rs_1 content` of the reasoning itself.
 */
export type ReasoningList = 'summary' | 'content';

/** Stands before every text of an item but the first, so that they are read one below the other; it does not go back. */
export const separator = '\n\n';

const contentMark = ' content';

export function signatureOf(id: string, list: ReasoningList): string {
  return list === 'content' ? id + contentMark : id;
}

export function readSignature(signature: string): { id: string; list: ReasoningList } {
  return signature.endsWith(contentMark)
    ? { id: signature.slice(0, -contentMark.length), list: 'content' }
    : { id: signature, list: 'summary' };
}

/**
 * Whether a request was refused for the reasoning that it gave back: another organisation's key cannot open it, for
 * one. Sources: https://github.com/openai/codex/issues/8119, https://github.com/continuedev/continue/issues/8933.
 */
export function isUnreadable(error: unknown): boolean {
  return (
    isPawlError(error, 'bad_request') &&
    /encrypted[_ ]content|of type 'reasoning' was provided without/i.test(error.message)
  );
}

/** The same events, after a word on what the model has lost. */
export async function* withLoss(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  yield {
    type: 'notice',
    level: 'info',
    code: 'reasoning_dropped',
    message: 'The provider cannot read the reasoning of earlier steps, so the model goes on without it.',
  };
  yield* events;
}
