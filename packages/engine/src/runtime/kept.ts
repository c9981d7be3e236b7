/** Events as they are written: without secrets, whoever said them. What runs here goes on with what was really said. */
import type { DurableEvent } from '@pawl/protocol';
import type { Redactor } from '../ports.ts';

/** The same events where nothing is taken out. Names of fields, and what the engine itself counts by, are no texts. */
export function keptEvents(events: readonly DurableEvent[], { keep }: Redactor): readonly DurableEvent[] {
  if (keep === undefined) return events;
  return events.map((event) => {
    const data = keptValue(event.data, keep);
    return data === event.data ? event : ({ ...event, data } as DurableEvent);
  });
}

/** The value itself where nothing in it is a secret: most events are large and hold none. */
function keptValue(value: unknown, keep: (text: string) => string): unknown {
  if (typeof value === 'string') return keep(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const kept = value.map((each) => keptValue(each, keep));
    return kept.some((each, index) => each !== value[index]) ? kept : value;
  }
  const entries = Object.entries(value).map(([name, each]) => [name, each, keptValue(each, keep)] as const);
  if (entries.every(([, before, after]) => before === after)) return value;
  return Object.fromEntries(entries.map(([name, , after]) => [name, after]));
}
