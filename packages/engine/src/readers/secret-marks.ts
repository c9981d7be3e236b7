/** What stands in a log in the place of secrets. */
import type { DurableEvent } from '@pawl/protocol';

/**
 * Names of the secrets that a log does not hold, in the order in which they come. They are not put back from where they
 * came: whoever wrote a mark into a file would be given the secret of that name.
 */
export function secretMarksIn(events: readonly DurableEvent[]): string[] {
  const names = new Set<string>();
  for (const { data } of events) collect(data, names);
  return [...names];
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value === 'string') {
    if (!value.includes('[secret:')) return;
    for (const [, name = ''] of value.matchAll(/\[secret:([\w.-]{1,100})\]/g)) names.add(name);
  } else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) collect(each, names);
  }
}
