/** The process that drives a session, where one does. */
import { setTimeout as pause } from 'node:timers/promises';
import { connectLocally, type LocalConnection } from '@pawl/client/local';
import type { SessionLog } from '@pawl/engine';
import { isPawlError, PawlError } from '@pawl/protocol';
import { dataFolder } from '../home.ts';

/** How long a process that has just taken a session up may take until it listens, ms. */
const maxWaitMs = 5000;
const pollMs = 50;

/** A client of it; null if nobody drives the session. @throws `session_locked` where it cannot be reached. */
export async function ownerOf(log: SessionLog, session: string): Promise<LocalConnection | null> {
  const until = Date.now() + maxWaitMs;
  for (;;) {
    const owner = (await log.owner?.(session)) ?? null;
    if (owner === null) return null;
    const client = await connectLocally(dataFolder(), owner.name);
    if (client !== null) return client;
    if (Date.now() > until) {
      throw new PawlError(
        'session_locked',
        `Session ${session} is driven by process ${owner.pid}, which cannot be reached. Wait for it, or end it.`,
      );
    }
    await pause(pollMs);
  }
}

/** What says that a process is no driver of the session any more, so that it is asked for anew who is. */
const gone = ['connection_lost', 'session_closed', 'session_lost', 'host_closed', 'not_driven'];
export const isGone = (error: unknown): boolean => gone.some((code) => isPawlError(error, code));
