import type { DurableEvent, EventBody } from '@pawl/protocol';

const by = { kind: 'engine', id: 'test' } as const;

/** Bodies numbered on from `afterSeq`. */
export function place(session: string, afterSeq: number, bodies: readonly EventBody[]): DurableEvent[] {
  return bodies.map((body, index) => ({
    ...body,
    seq: afterSeq + 1 + index,
    at: 1000 + afterSeq + index,
    session,
    by,
  }));
}

export const stage = (name: string): EventBody => ({ type: 'stage.declared', data: { stage: name } });

export const says = (text: string): EventBody => ({
  type: 'message.added',
  data: { message: { role: 'user', content: [{ type: 'text', text }], source: 'input' } },
});

/** `count` events whose sequence numbers continue `afterSeq`. */
export const stages = (session: string, afterSeq: number, count: number): DurableEvent[] =>
  place(
    session,
    afterSeq,
    Array.from({ length: count }, (_, index) => stage(`${afterSeq + index}`)),
  );
