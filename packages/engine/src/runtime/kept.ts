/** Events as they are written to the log: without secrets, whoever sent them. The live session keeps the original texts. */
import type { DurableEvent } from '@pawl/protocol';
import type { Redactor } from '../ports.ts';

/** The same events without secrets; the same objects where there are none. Names of fields are not changed. */
export function keptEvents(events: readonly DurableEvent[], { keep }: Redactor): readonly DurableEvent[] {
  if (keep === undefined) return events;
  return events.map((event) => {
    const data = keptValue(event.data, keep);
    return data === event.data ? event : ({ ...event, data } as DurableEvent);
  });
}

/** Returns the value itself where it holds no secret, as most large events do. */
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
