import type { DurableEvent } from '@pawl/protocol';
import { protocolVersion } from '@pawl/protocol';

/** What an exported session begins with, so that a program knows what it has. */
export type ExportedSession = {
  format: 'pawl.session';
  protocolVersion: number;
  session: string;
  events: readonly DurableEvent[];
  /** The sessions of its tasks, and theirs. */
  tasks?: readonly { session: string; events: readonly DurableEvent[] }[];
  /** The large bodies that the events name, in base64, by their digests. */
  blobs?: { readonly [digest: string]: string };
};

/** What an export can hold beside the log itself. */
type Beside = Required<Pick<ExportedSession, 'tasks' | 'blobs'>>;

/** The whole log, losing nothing, as one JSON document. */
export function exportJson(events: readonly DurableEvent[], beside: Partial<Beside> = {}): string {
  const exported: ExportedSession = {
    format: 'pawl.session',
    protocolVersion,
    session: events[0]?.session ?? '',
    events,
    ...beside,
  };
  return `${JSON.stringify(exported, null, 2)}\n`;
}

/** The large bodies that events name. */
export function blobsIn(events: readonly DurableEvent[]): Set<string> {
  return new Set(JSON.stringify(events).match(/sha256-[0-9a-f]{64}/g) ?? []);
}

/** The same log under another id: of the session, of its tasks, and where they name each other. */
export function renamed(events: readonly DurableEvent[], from: string, to: string): DurableEvent[] {
  const isId = (text: string) => text === from || text.startsWith(`${from}.`) || text.startsWith(`owner:${from}`);
  const rename = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return namingKeys.has(key) && isId(value) ? value.replace(from, to) : value;
    if (Array.isArray(value)) return value.map((each) => rename(each, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, rename(each, name)]));
  };
  return events.map((event) => rename(event, '') as DurableEvent);
}

/** Under which events name sessions. */
const namingKeys: ReadonlySet<string> = new Set(['session', 'parent', 'owner', 'from', 'to', 'id']);
