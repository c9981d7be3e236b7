import { isPawlError, messageOf, PawlError } from '@pawl/protocol';
import { fileFailure } from '../../failures.ts';
import { noteOwnWrite } from '../../sandbox/index.ts';
import type { Deed } from './deed.ts';
import { oneAtATime } from './one-at-a-time.ts';

/** `made` are folders that came into being on the way; `rests` are sentences about what could not be cleaned up. */
export type Transacted = { made: string[]; rests: string[] };

/**
 * Makes all changes or none: everything that can fail for lack of space or rights is done beside the files first, then
 * every place is looked at once more, then each change is one call of the system. If one of those fails, the ones
 * before it are taken back, which needs no space.
 * @throws with everything as it was; `half_done` when even that failed, naming what is not.
 */
export function transact(deeds: readonly Deed[], signal: AbortSignal): Promise<Transacted> {
  const paths = deeds.map(({ place }) => place.path);
  return oneAtATime(paths, () => transactAlone(deeds, signal));
}

async function transactAlone(deeds: readonly Deed[], signal: AbortSignal): Promise<Transacted> {
  const staged: Deed[] = [];
  const done: Deed[] = [];
  let current: Deed | null = null;
  for (const { place } of deeds) noteOwnWrite(place.path);
  try {
    for (const deed of deeds) {
      signal.throwIfAborted();
      current = deed;
      staged.push(deed);
      await deed.stage();
    }
    for (const deed of deeds) {
      current = deed;
      await deed.check();
    }
    signal.throwIfAborted();
    for (const deed of deeds) {
      current = deed;
      // The first was looked at just now, if it is the only one.
      if (deeds.length > 1) await deed.check();
      await deed.commit();
      done.push(deed);
    }
  } catch (error) {
    const stuck = await revertAll(done);
    const { rests } = await cleanAll(staged, false, stuck);
    throw explained(error, current, signal, [...stuck.map(({ reason }) => reason), ...rests]);
  }
  return cleanAll(staged, true, []);
}

type Stuck = { deed: Deed; reason: string };

async function revertAll(done: readonly Deed[]): Promise<Stuck[]> {
  const stuck: Stuck[] = [];
  for (const deed of [...done].reverse()) {
    try {
      await deed.revert();
    } catch (error) {
      const { message } = fileFailure(error, deed.place.shown);
      stuck.push({ deed, reason: `${deed.place.shown} is changed and could not be put back: ${message}` });
    }
  }
  return stuck;
}

/** The last first: what a folder was made for goes before it. */
async function cleanAll(staged: readonly Deed[], isDone: boolean, stuck: readonly Stuck[]): Promise<Transacted> {
  const made: string[] = [];
  const rests: string[] = [];
  for (const deed of [...staged].reverse()) {
    // What could not be put back lies beside it still, and must not be thrown away.
    if (stuck.some((each) => each.deed === deed)) continue;
    try {
      made.unshift(...(await deed.clean(isDone)));
    } catch (error) {
      rests.push(`What was beside ${deed.place.shown} could not be removed: ${messageOf(error)}`);
    }
  }
  return { made, rests };
}

function explained(error: unknown, deed: Deed | null, signal: AbortSignal, rests: readonly string[]): unknown {
  const isOurs = isPawlError(error) || deed === null || (signal.aborted && error === signal.reason);
  const cause = isOurs ? error : fileFailure(error, deed.place.shown);
  if (rests.length === 0) return cause;
  return new PawlError('half_done', [messageOf(cause), ...rests].join(' '), { cause: error });
}
