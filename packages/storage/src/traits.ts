/** What an append changes in a session's summary and in the search index, found in one pass over its events. */
import type { DurableEvent, Origin, UserPart } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';

/** What an append changes in a session's summary; absent fields stay. `firstMessage` counts only if there is none yet. */
type SummaryChange = {
  createdAt?: number;
  cwd?: string;
  model?: string;
  origin?: Origin;
  metadata?: Record<string, string>;
  firstMessage?: string;
  forkedFrom?: string;
  title?: string;
  isArchived?: boolean;
};

/** `change` is null for most appends. `isSaid` tells that there is text for the search index. */
export type Traits = { change: SummaryChange | null; isSaid: boolean };

const longestLine = 200;

export function traitsOf(events: readonly DurableEvent[]): Traits {
  const change: SummaryChange = {};
  let isSaid = false;
  for (const event of events) {
    switch (event.type) {
      case 'session.created':
        change.createdAt = event.at;
        change.cwd = event.data.cwd;
        change.model = event.data.model;
        change.origin = event.data.origin ?? {};
        change.metadata = event.data.metadata;
        break;
      case 'session.forked':
        change.forkedFrom = event.data.from.session;
        change.isArchived = false;
        break;
      case 'session.renamed':
        isSaid = true;
        change.title = event.data.title;
        break;
      case 'session.archived':
      case 'session.unarchived':
        change.isArchived = event.type === 'session.archived';
        break;
      case 'session.configured':
        if (event.data.model !== undefined) change.model = event.data.model;
        break;
      case 'input.queued':
        isSaid = true;
        if (event.data.delivery !== 'context') change.firstMessage ??= oneLine(event.data.content);
        break;
      case 'message.added':
        isSaid = true;
        break;
      default:
    }
  }
  return { change: Object.keys(change).length > 0 ? change : null, isSaid };
}

function oneLine(content: readonly UserPart[]): string {
  const line = textOf(content).replace(/\s+/g, ' ').trim();
  return line.length <= longestLine ? line : `${line.slice(0, longestLine - 1).toWellFormed()}…`;
}

/** The searchable text of an event: words of a person or the model, or the title of the session; else empty. */
export function saidIn(event: DurableEvent): string {
  switch (event.type) {
    case 'input.queued':
      return textOf(event.data.content);
    case 'message.added': {
      const { message } = event.data;
      if (message.role === 'user') return message.source === 'engine' ? '' : textOf(message.content);
      return textOf(message.content.filter((part) => part.type === 'text'));
    }
    case 'session.renamed':
      return event.data.title;
    default:
      return '';
  }
}
