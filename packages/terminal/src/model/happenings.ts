/** What happened to a session beside its answers and calls, in sentences. */
import type { DurableEvent, EventData, Mail } from '@pawl/protocol';
import type { Tone } from './items.ts';

type Told = Extract<
  DurableEvent,
  { type: 'context.trimmed' | 'context.removed' | 'context.compacted' | 'compaction.failed' | 'compaction.cancelled' }
>;

export const noticeTone: Record<'info' | 'warning' | 'error', Tone> = {
  info: 'quiet',
  warning: 'warning',
  error: 'error',
};

export function compactionText(event: Told): string {
  switch (event.type) {
    case 'context.trimmed':
      return `Made room: ${event.data.results.length} old results, about ${event.data.freedTokens} tokens.`;
    case 'context.removed':
      return `Made room: ${event.data.parts.length} large contents, about ${event.data.freedTokens} tokens.`;
    case 'context.compacted':
      return `The conversation was compacted: about ${event.data.tokensBefore} tokens are ${event.data.tokensAfter} now.`;
    case 'compaction.failed':
      return `A compaction failed: ${event.data.message}`;
    case 'compaction.cancelled':
      return `A compaction was dropped: ${event.data.reason}`;
    default:
      return event satisfies never;
  }
}

export function verifiedText({ ok, output, problem }: EventData['loop.verified']): string {
  if (ok) return '✓ The check passed.';
  const last = output.trim().split('\n').at(-1) ?? '';
  return `✗ ${problem ?? `The check failed: ${last}`}`;
}

export const mailText = (who: string, { kind, text }: Mail): string =>
  `✉ ${who} (${kind.replaceAll('_', ' ')}): ${text}`;
