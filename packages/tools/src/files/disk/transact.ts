import { isPawlError, messageOf, PawlError } from '@pawl/protocol';
import { fileFailure } from '../../failures.ts';
import { noteOwnWrite } from '../../sandbox/index.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { Operation } from './operation.ts';

/** `made` are folders that came into being on the way; `leftovers` are sentences about what could not be cleaned up. */
export type Transacted = { made: string[]; leftovers: string[] };

/**
 * Makes all changes or none: everything that can fail for lack of space or rights is done beside the files first, then
 * every place is looked at once more, then each change is one call of the system. If one of those fails, the ones
 * before it are taken back, which needs no space.
 * @throws with everything as it was; `half_done` when even that failed, naming what is not.
 */
export function transact(operations: readonly Operation[], signal: AbortSignal): Promise<Transacted> {
  const paths = operations.map(({ place }) => place.path);
  return oneAtATime(paths, () => transactAlone(operations, signal));
}

async function transactAlone(operations: readonly Operation[], signal: AbortSignal): Promise<Transacted> {
  const staged: Operation[] = [];
  const done: Operation[] = [];
  let current: Operation | null = null;
  for (const { place } of operations) noteOwnWrite(place.path);
  try {
    for (const operation of operations) {
      signal.throwIfAborted();
      current = operation;
      staged.push(operation);
      await operation.stage();
    }
    for (const operation of operations) {
      current = operation;
      await operation.check();
    }
    signal.throwIfAborted();
    for (const operation of operations) {
      current = operation;
      // The first was looked at just now, if it is the only one.
      if (operations.length > 1) await operation.check();
      await operation.commit();
      done.push(operation);
    }
  } catch (error) {
    const stuck = await revertAll(done);
    const { leftovers } = await cleanAll(staged, false, stuck);
    throw explained(error, current, signal, [...stuck.map(({ reason }) => reason), ...leftovers]);
  }
  return cleanAll(staged, true, []);
}

type Stuck = { operation: Operation; reason: string };

async function revertAll(done: readonly Operation[]): Promise<Stuck[]> {
  const stuck: Stuck[] = [];
  for (const operation of [...done].reverse()) {
    try {
      await operation.revert();
    } catch (error) {
      const { message } = fileFailure(error, operation.place.shown);
      stuck.push({ operation, reason: `${operation.place.shown} is changed and could not be put back: ${message}` });
    }
  }
  return stuck;
}

/** The last first: what a folder was made for goes before it. */
async function cleanAll(staged: readonly Operation[], isDone: boolean, stuck: readonly Stuck[]): Promise<Transacted> {
  const made: string[] = [];
  const leftovers: string[] = [];
  for (const operation of [...staged].reverse()) {
    // What could not be put back lies beside it still, and must not be thrown away.
    if (stuck.some((each) => each.operation === operation)) continue;
    try {
      made.unshift(...(await operation.clean(isDone)));
    } catch (error) {
      leftovers.push(`What was beside ${operation.place.shown} could not be removed: ${messageOf(error)}`);
    }
  }
  return { made, leftovers };
}

function explained(
  error: unknown,
  operation: Operation | null,
  signal: AbortSignal,
  leftovers: readonly string[],
): unknown {
  const isOurs = isPawlError(error) || operation === null || (signal.aborted && error === signal.reason);
  const cause = isOurs ? error : fileFailure(error, operation.place.shown);
  if (leftovers.length === 0) return cause;
  return new PawlError('half_done', [messageOf(cause), ...leftovers].join(' '), { cause: error });
}
