/** What a judgement of changes leftovers on, and what tells after a crash whether they were made. */
import { createHash } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { FormerEntry, ToolOutcome, ToolScope } from '@pawl/engine';
import type { Json, JsonObject } from '@pawl/protocol';
import { systemCode } from '../failures.ts';
import { absent, type Change, formerOf, keptOf, markOf, stateOf } from './change.ts';
import { applyDelta } from './delta.ts';
import { putFile, removeFile } from './disk/file-operations.ts';
import { removeFolders } from './disk/open-folder.ts';
import { removeLeftovers } from './disk/operation.ts';
import { transact } from './disk/transact.ts';
import { digestOf, type FileBytes, readFileBytes } from './regular-file.ts';

/** Changes whenever the files do that the changes start from. */
export function basisOf(changes: readonly Change[]): string {
  const [first] = changes;
  if (changes.length === 1 && first !== undefined) return stateOf(first.before);
  const hash = createHash('sha256');
  for (const { place, before } of changes) hash.update(`${place.path}\0${stateOf(before)}\0`);
  return `sha256-${hash.digest('hex')}`;
}

/** One file of the evidence. `mode` of what was there; `delta` as in the outcome; `folders` that have to be made for it. */
type Witness = {
  path: string;
  before: string;
  after: string;
  mode: number;
  delta: string | null;
  folders: string[];
};

export async function evidenceOf(changes: readonly Change[]): Promise<Json> {
  return Promise.all(changes.map(witnessOf));
}

async function witnessOf(change: Change): Promise<Witness & JsonObject> {
  const { place, before, after } = change;
  const kept = before === null || after === null ? null : keptOf(change);
  return {
    path: place.path,
    before: stateOf(before),
    after: after === null ? absent : digestOf(after),
    mode: before?.mode ?? 0,
    delta: kept === null ? null : digestOf(kept),
    folders: before === null ? await missingFolders(dirname(place.path)) : [],
  };
}

/** Outermost first. */
async function missingFolders(path: string): Promise<string[]> {
  const isThere = await lstat(path).then(
    () => true,
    (error: unknown) => systemCode(error) !== 'ENOENT',
  );
  return isThere || dirname(path) === path ? [] : [...(await missingFolders(dirname(path))), path];
}

function readEvidence(evidence: Json): Witness[] | null {
  if (!Array.isArray(evidence)) return null;
  const witnesses = evidence.flatMap((each): Witness[] => {
    const { path, before, after, mode, delta, folders = [] } = (each ?? {}) as JsonObject;
    const isWhole = [path, before, after].every((value) => typeof value === 'string') && typeof mode === 'number';
    return isWhole ? [{ path, before, after, mode, delta: delta ?? null, folders } as Witness] : [];
  });
  return witnesses.length === evidence.length ? witnesses : null;
}

/**
 * Whether changes that were begun before a crash were made, or were not. Where some of them were, they are taken back,
 * so that all can be made once more. Null where something else stands there by now.
 */
export async function reconcileChanges(
  evidence: Json,
  scope: ToolScope,
  maxBytes: number,
): Promise<ToolOutcome | 'not_done' | null> {
  const witnesses = readEvidence(evidence);
  if (witnesses === null) return null;
  const found = await Promise.all(
    witnesses.map(async (witness) => ({ witness, now: await readFileBytes(placeOf(witness), maxBytes) })),
  );
  if (found.every(({ witness, now }) => stateOf(now) === witness.after)) {
    await removeAllLeftovers(witnesses, scope);
    return doneBefore(witnesses);
  }
  const isKnown = found.every(({ witness, now }) => [witness.before, witness.after].includes(stateOf(now)));
  if (!isKnown) return null;
  const made = found.filter(({ witness, now }) => stateOf(now) !== witness.before);
  if (made.length > 0 && !(await takeBack(made, scope))) return null;
  await removeAllLeftovers(witnesses, scope);
  await removeFolders(foldersOf(witnesses));
  return 'not_done';
}

/** An outer one is in the evidence before what is in it. */
const foldersOf = (witnesses: readonly Witness[]) => [...new Set(witnesses.flatMap(({ folders }) => folders))];

/** Of taking back, which may be interrupted in its turn. */
const backMarkOf = (scope: ToolScope) => `${markOf(scope)}\0back`;

const placeOf = ({ path }: Witness) => ({ path, shown: path });

async function removeAllLeftovers(witnesses: readonly Witness[], scope: ToolScope): Promise<void> {
  for (const { path } of witnesses) {
    for (const mark of [markOf(scope), backMarkOf(scope)]) await removeLeftovers(path, mark);
  }
}

/** False if a former content is lost. */
async function takeBack(
  made: readonly { witness: Witness; now: FileBytes | null }[],
  scope: ToolScope,
): Promise<boolean> {
  const options = { mark: backMarkOf(scope), isAlone: made.length === 1 };
  const deeds = [];
  for (const { witness, now } of made) {
    const place = placeOf(witness);
    if (witness.before === absent) {
      if (now !== null) deeds.push(removeFile({ place, before: now }, options));
      continue;
    }
    const bytes = await formerContent(witness, now, scope);
    if (bytes === null || digestOf(bytes) !== witness.before) return false;
    deeds.push(putFile({ place, bytes, before: now, mode: witness.mode }, options));
  }
  await transact(deeds, new AbortController().signal);
  return true;
}

async function formerContent(
  { before, delta }: Witness,
  now: FileBytes | null,
  { blobs }: ToolScope,
): Promise<Uint8Array | null> {
  if (delta === null || now === null) return blobs.get(before);
  const kept = await blobs.get(delta);
  return kept === null ? null : applyDelta(kept, now.bytes, 'undo');
}

function doneBefore(witnesses: readonly Witness[]): ToolOutcome {
  const real = witnesses.filter(({ before, after }) => before !== after);
  const former = ({ before, mode, delta }: Witness): FormerEntry =>
    formerOf(before === absent ? null : { digest: before, mode }, delta);
  const what = witnesses.length === 1 ? 'The change was' : `All ${witnesses.length} changes were`;
  return {
    content: `${what} made. The program was interrupted right after, and found it so.`,
    details: {
      files: Object.fromEntries(witnesses.map(({ path, after }) => [path, after === absent ? null : after])),
      before: Object.fromEntries(real.map((witness) => [witness.path, former(witness)])),
      folders: foldersOf(witnesses),
    },
  };
}
