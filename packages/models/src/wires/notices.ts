import type { ModelEvent } from '@pawl/engine';

export type Notice = Extract<ModelEvent, { type: 'notice' }>;

export function notice(code: string, message: string): Notice {
  return { type: 'notice', level: 'info', code, message };
}

/** The same events, after what a person should know of the call. */
export async function* afterNotices(
  notices: readonly Notice[],
  events: AsyncIterable<ModelEvent>,
): AsyncGenerator<ModelEvent> {
  yield* notices;
  yield* events;
}

/** Says each thing at the first call that it is true of, and never again. */
export function createSayOnce(): (
  notices: readonly (Notice | null)[],
  events: AsyncIterable<ModelEvent>,
) => AsyncIterable<ModelEvent> {
  const said = new Set<string>();
  return (notices, events) => {
    const fresh = notices.filter((each) => each !== null).filter(({ message }) => !said.has(message));
    for (const { message } of fresh) said.add(message);
    return fresh.length === 0 ? events : afterNotices(fresh, events);
  };
}
