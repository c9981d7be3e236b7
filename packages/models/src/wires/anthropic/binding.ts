import { isPawlError } from '@pawl/protocol';

/** Lets a request say what becomes of thoughts that no longer fit what stands before them. */
export const bindingBeta = 'thinking-binding-controls-2026-08-01';

/**
 * Whether a request was refused because something before a thought has changed since: a text that stood at the end of
 * one request only, say. Source: https://platform.claude.com/docs/en/build-with-claude/preserved-thinking/prefix-checks.
 */
export function isUnbound(error: unknown): boolean {
  return isPawlError(error, 'bad_request') && /bound to a different conversation|block_binding/.test(error.message);
}
