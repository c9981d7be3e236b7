import type { DurableEvent } from '@pawl/protocol';
import { protocolVersion } from '@pawl/protocol';

/** What an exported session begins with, so that a program knows what it has. */
export type ExportedSession = {
  format: 'pawl.session';
  protocolVersion: number;
  session: string;
  events: readonly DurableEvent[];
};

/** The whole log, losing nothing, as one JSON document. */
export function exportJson(events: readonly DurableEvent[]): string {
  const exported: ExportedSession = {
    format: 'pawl.session',
    protocolVersion,
    session: events[0]?.session ?? '',
    events,
  };
  return `${JSON.stringify(exported, null, 2)}\n`;
}
