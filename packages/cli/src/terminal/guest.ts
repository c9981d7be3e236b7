import type { Storage } from '@pawl/engine';
import type { Taken } from '@pawl/terminal';
import { asGuest, guestClient } from '../reach/guest.ts';
import { ownerOf } from '../reach/owner.ts';

/** A session as the process shows it that drives it; null where that is nobody, or this process itself. */
export async function asGuestOf(log: Storage, session: string): Promise<Taken | null> {
  const pid = (await log.owner?.(session))?.pid ?? process.pid;
  if (pid === process.pid) return null;
  const owner = await ownerOf(log, session);
  if (owner === null) return null;
  return { client: guestClient(owner, log), session: asGuest(await owner.open(session), log), isGuest: true };
}
