/** The events of a session and its tasks, from its beginning on, into a model. */
import { followTree } from '@pawl/client/tree';
import type { Client, DurableEvent, PawlEvent, SessionClient, SessionView } from '@pawl/protocol';
import { isPawlError } from '@pawl/protocol';

export type Followed = {
  event(event: PawlEvent): void;
  /** An event of a task, and the task's name. */
  taskEvent(event: DurableEvent, name: string): void;
  /** What a task asked before anybody looked. */
  found(view: SessionView, name: string): void;
  /** How much is used, as the session says. */
  figures(view: SessionView): void;
  /** The driver is gone, or the session is closed. Not called after `close`. */
  ended(error: unknown): void;
};

/** After these, how full the context is and what was spent are other than before. */
const costly: ReadonlySet<PawlEvent['type']> = new Set([
  'message.added',
  'step.started',
  'turn.ended',
  'context.compacted',
  'session.configured',
  'session.opened',
]);

/** `fromSeq`: what the model has already. Closes on `signal`. */
export async function follow(
  { client, session, fromSeq }: { client: Client; session: SessionClient; fromSeq: number },
  to: Followed,
  signal: AbortSignal,
): Promise<void> {
  const view = await session.view();
  to.figures(view);
  const tree = await followTree(client, view, {
    onEvent: (event, name) => to.taskEvent(event, name),
    async onOpenTask(below, name) {
      to.found(below, name);
    },
  });
  signal.addEventListener('abort', tree.close, { once: true });
  const figures = atMostOnce(async () => to.figures(await session.view()));
  try {
    for await (const event of session.events({ seq: fromSeq }, signal)) {
      if ('seq' in event) await tree.event(event);
      to.event(event);
      if (costly.has(event.type)) figures();
    }
    if (!signal.aborted) to.ended(null);
  } catch (error) {
    if (!signal.aborted) to.ended(error);
  } finally {
    tree.close();
  }
}

/** Runs one after another, and once more at the end if it was asked for meanwhile. */
function atMostOnce(run: () => Promise<void>): () => void {
  let isRunning = false;
  let isAsked = false;
  const work = async () => {
    isRunning = true;
    while (isAsked) {
      isAsked = false;
      // Whoever is gone tells so by its events.
      await run().catch((error: unknown) => {
        if (!isPawlError(error)) throw error;
      });
    }
    isRunning = false;
  };
  return () => {
    isAsked = true;
    if (!isRunning) work().catch(() => undefined);
  };
}
