import { isPawlError } from '@pawl/protocol';
import { notice } from '../notices.ts';

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

/**
 * Whether a request was refused for the summary of its reasoning that it asked for: organisations that are not verified
 * do not get any. Source: https://github.com/openai/openai-cookbook/issues/2271.
 */
export function isSummaryRefused(error: unknown): boolean {
  return (
    isPawlError(error, 'bad_request') &&
    /verified to generate reasoning summaries|reasoning\.summary/i.test(error.message)
  );
}

export const reasoningLost = notice(
  'reasoning_dropped',
  'The provider cannot read the reasoning of earlier steps, so the model goes on without it.',
);

export const summaryRefused = notice(
  'summary_refused',
  'The provider gives this account no summary of what the model thinks, so none is shown. OpenAI gives one to verified organisations only: https://platform.openai.com/settings/organization/general.',
);
