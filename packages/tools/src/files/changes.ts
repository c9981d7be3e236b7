import type { ToolContext, ToolOutcome, ToolPlan } from '@pawl/engine';
import { isPawlError, PawlError } from '@pawl/protocol';
import { absent, type Change, formerOf, keptOf, markOf, stateOf } from './change.ts';
import { putFile, removeFile } from './disk/file-operations.ts';
import { outdated, refuseUnjudged } from './disk/operation.ts';
import { type Transacted, transact } from './disk/transact.ts';
import { basisOf, evidenceOf } from './evidence.ts';
import { previewChanges } from './preview.ts';
import { digestOf } from './regular-file.ts';

export async function planChanges(changes: readonly Change[]): Promise<ToolPlan> {
  const preview = await previewChanges(changes);
  return { preview, basis: basisOf(changes), evidence: await evidenceOf(changes) };
}

/**
 * Makes all of the changes or none.
 * @throws `outdated`, with nothing touched, when a file is not as it was when the changes were judged.
 */
export async function applyChanges(changes: readonly Change[], context: ToolContext): Promise<ToolOutcome> {
  for (const { place } of changes) refuseUnjudged(place, context);
  const [first] = changes;
  if (first !== undefined && context.basis !== null && context.basis !== basisOf(changes)) {
    throw outdated(changes.length === 1 ? first.place.shown : 'One of these files');
  }
  const real = changes.filter((change) => stateOf(change.before) !== digestIfAny(change.after));
  const deltas = await keepContents(real, context);
  const options = { mark: markOf(context), isAlone: real.length === 1 };
  const { made, leftovers } = await transact(
    real.map(({ place, before, after, mode }) => {
      if (after !== null) return putFile({ place, bytes: after, before, mode }, options);
      if (before === null) throw new Error(`nothing to change at ${place.path}`);
      return removeFile({ place, before }, options);
    }),
    context.signal,
  ).catch((error: unknown) => {
    throw changes.length > 1 ? withNothingChanged(error) : error;
  });
  return describe(changes, { deltas, made, leftovers });
}

const digestIfAny = (bytes: Buffer | null) => (bytes === null ? absent : digestOf(bytes));

/** By change, the digest of its delta; null where one of the sides is nothing. */
type Deltas = ReadonlyMap<Change, string | null>;

/** Before anything is changed, what it takes to undo that goes to the blob store. */
async function keepContents(changes: readonly Change[], { blobs }: ToolContext): Promise<Deltas> {
  const deltas = new Map<Change, string | null>();
  for (const change of changes) {
    const kept = keptOf(change);
    const digest = kept === null ? null : await blobs.put(kept);
    deltas.set(change, change.before === null || change.after === null ? null : digest);
  }
  return deltas;
}

/** Of several files, the one that a message names is not the only one that matters. */
function withNothingChanged(error: unknown): unknown {
  if (!isPawlError(error)) return error;
  const { code, message } = error;
  if (code === 'half_done' || message.endsWith('Nothing was changed.')) return error;
  return new PawlError(code, `${message} Nothing was changed.`, { cause: error });
}

async function describe(
  changes: readonly Change[],
  { deltas, made, leftovers }: Transacted & { deltas: Deltas },
): Promise<ToolOutcome> {
  const { kind: _, text: diff, added = 0, removed = 0, createdFiles = [] } = await previewChanges(changes);
  const deeds = changes.flatMap((change) => deedText(change, deltas.has(change)));
  const sentence = deeds.length === 0 ? 'Nothing is different.' : `${deeds.join(', ')} (+${added} -${removed} lines).`;
  return {
    content: [sentence.charAt(0).toUpperCase() + sentence.slice(1), ...leftovers].join(' '),
    details: {
      diff,
      added,
      removed,
      createdFiles,
      files: Object.fromEntries(
        changes.map(({ place, after }) => [place.path, after === null ? null : digestOf(after)]),
      ),
      before: Object.fromEntries(
        [...deltas].map(([{ place, before }, delta]) => [place.path, formerOf(before, delta)]),
      ),
      modes: Object.fromEntries(
        [...deltas.keys()].flatMap(({ place, before, mode }) =>
          before === null && mode !== undefined ? [[place.path, mode] as const] : [],
        ),
      ),
      folders: made,
    },
  };
}

function deedText({ place: { shown }, before, after, moved }: Change, isReal: boolean): string[] {
  if (moved !== undefined) return 'to' in moved ? [] : [`moved ${moved.from.shown} to ${shown}`];
  if (!isReal) return [`unchanged: ${shown}`];
  if (before === null) return [`created ${shown}`];
  return [`${after === null ? 'deleted' : 'changed'} ${shown}`];
}
