import { oneLine } from '@pawl/engine/readers';
import type { DurableEvent } from '@pawl/protocol';

type CompactionEvent = Extract<
  DurableEvent,
  { type: 'context.trimmed' | 'context.removed' | 'context.compacted' | 'compaction.failed' | 'compaction.cancelled' }
>;

/** What became of the history, in one line. */
export function compactionLine(event: CompactionEvent): string {
  switch (event.type) {
    case 'context.trimmed':
      return `Made room: ${event.data.results.length} old results, about ${event.data.freedTokens} tokens.`;
    case 'context.removed':
      return `Made room: ${event.data.parts.length} large contents, about ${event.data.freedTokens} tokens.`;
    case 'context.compacted':
      return `The conversation was compacted: about ${event.data.tokensBefore} tokens are ${event.data.tokensAfter} now.`;
    case 'compaction.failed': {
      const { message, suspendedSteps } = event.data;
      const later = suspendedSteps === undefined ? '' : ` None is tried for ${suspendedSteps} steps.`;
      return `A compaction failed: ${oneLine(message)}${later}`;
    }
    case 'compaction.cancelled':
      return `A compaction was dropped: ${oneLine(event.data.reason)}`;
    default:
      return event satisfies never;
  }
}
