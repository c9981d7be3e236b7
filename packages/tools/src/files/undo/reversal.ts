/** Takes back what turns did to files, or does it again: all of it or nothing, and nothing that others did since. */
import { homedir } from 'node:os';
import { relative } from 'node:path';
import type { BlobStore, FormerEntry } from '@pawl/engine';
import type { FileChange, FileChanges } from '@pawl/engine/readers';
import { isInside, isObeyed } from '@pawl/policy';
import { messageOf, type Preview } from '@pawl/protocol';
import { escapeName } from '../../escape.ts';
import { withDefaults } from '../../options.ts';
import type { Place } from '../../paths.ts';
import type { Change } from '../change.ts';
import { applyDelta } from '../delta.ts';
import { makeFolder, makeLink, removeFolder, removeLink } from '../disk/entry-operations.ts';
import { putFile, removeFile } from '../disk/file-operations.ts';
import { removeFolders } from '../disk/open-folder.ts';
import { type Operation, type OperationOptions, removeLeftovers } from '../disk/operation.ts';
import { transact } from '../disk/transact.ts';
import { decodeText, isBinary } from '../encodings.ts';
import { previewChanges } from '../preview.ts';
import { digestOf } from '../regular-file.ts';
import { isSame, type Standing, standingAt } from './standing.ts';

export type ReversalOptions = {
  direction: 'undo' | 'redo';
  /** Whose changes they are: what an interrupted attempt left is found by it. */
  session: string;
  /** The session's folder, canonical. */
  cwd: string;
  blobs: Pick<BlobStore, 'get'>;
  /** Whether files outside of the session's folder may be changed. Default false: a log may come from elsewhere. */
  allowsOutside?: boolean;
  /** Whether files that other programs obey (`.git`, `.vscode`…) may be changed. Default false, for the same reason. */
  allowsObeyed?: boolean;
};

/** A path that cannot be put back, with the reason as a sentence's end: `was changed since`. */
type Blocked = { reason: string; needs?: 'allowsOutside' | 'allowsObeyed' };

/** One path that can be put back. */
type Step = {
  place: Place;
  now: Standing;
  /** Where it is a file, with its content. */
  target: FormerEntry;
  bytes: Buffer | null;
  mode: number | null;
};

/** What would be done, with nothing done yet. */
export type Reversal = {
  /** Paths for people, each with what would become of it. */
  steps: { shown: string; deed: 'restored' | 'removed' | 'changed back' }[];
  /** What stands at each of these paths once it is done: digests of files, null for nothing. Links and folders are left out. */
  digests: { [path: string]: string | null };
  /** Paths that stand already as they should. */
  done: string[];
  /** `needs` is what would allow it. */
  blocked: ({ shown: string } & Blocked)[];
  preview(): Promise<Preview>;
  /** Does all of the steps or none. @returns sentences about what could not be cleaned up. @throws `outdated`, `disk_full`… */
  apply(signal?: AbortSignal): Promise<string[]>;
  /** Removes what an attempt that was interrupted left beside these paths. Part of `apply`. */
  tidy(): Promise<void>;
};

/** Looks at what stands there now. Never throws for a single path: it is blocked then. */
export async function planReversal(changes: FileChanges, options: ReversalOptions): Promise<Reversal> {
  const steps: Step[] = [];
  const done: string[] = [];
  const blocked: Reversal['blocked'] = [];
  for (const change of changes.changes) {
    const place = placeOf(change.path, options.cwd);
    const found = await stepFor(change, place, options).catch((error: unknown) => ({ reason: reasonOf(error, place) }));
    if (found === null) done.push(place.shown);
    else if ('reason' in found) blocked.push({ shown: place.shown, ...found });
    else steps.push(found);
  }
  // Folders that were made for files go with them, and come back with them.
  const made = options.direction === 'undo' ? changes.madeFolders : [];
  const isEmptied = (folder: string) =>
    steps.some(({ place, target }) => target === null && isInside(folder, place.path));
  const mark = `reversal\0${options.session}`;
  const tidy = async () => {
    let wasKilled = false;
    for (const { path } of changes.changes) {
      if (mayTouch(path, options) === null) wasKilled = (await removeLeftovers(path, mark)) || wasKilled;
    }
    // Folders that had no file left in them would have gone at its end.
    if (wasKilled) await removeFolders(made.filter((path) => mayTouch(path, options) === null));
  };
  return {
    steps: steps.map(({ place, now, target }) => ({ shown: place.shown, deed: deedOf(now, target) })),
    digests: Object.fromEntries(steps.flatMap(digestsOf)),
    done,
    blocked,
    preview: () => previewChanges(steps.flatMap(changeOf)),
    tidy,
    async apply(signal = new AbortController().signal) {
      await tidy();
      const folders = made.filter(isEmptied).map((path) => placeOf(path, options.cwd));
      const { leftovers } = await transact(operationsOf(steps, folders, mark), signal);
      return leftovers;
    },
  };
}

/** The first sentence; one about a file begins with its name, which the reader has already. */
function reasonOf(error: unknown, { shown }: Place): string {
  const message = messageOf(error);
  const [sentence = ''] = (message.startsWith(`${shown} `) ? message.slice(shown.length + 1) : message).split(
    /\.(?: |$)/,
  );
  return sentence;
}

function placeOf(path: string, cwd: string): Place {
  return { path, shown: escapeName(isInside(cwd, path) ? relative(cwd, path) : path) };
}

const deedOf = (now: Standing, target: FormerEntry) =>
  target === null ? 'removed' : now.kind === 'nothing' ? 'restored' : 'changed back';

function digestsOf({ place, target }: Step): [string, string | null][] {
  if (target === null) return [[place.path, null]];
  return target.kind === 'file' ? [[place.path, target.digest]] : [];
}

const afterOf = ({ after, mode }: FileChange): FormerEntry =>
  after === null ? null : { kind: 'file', digest: after, mode: mode ?? 0 };

/** Null if there is nothing to do; a reason if it cannot be done. */
async function stepFor(change: FileChange, place: Place, options: ReversalOptions): Promise<Step | Blocked | null> {
  const { direction } = options;
  const [expected, target] = direction === 'undo' ? [afterOf(change), change.before] : [change.before, afterOf(change)];
  if (change.before?.kind === 'lost') return { reason: `cannot be put back: ${change.before.reason}` };
  const mode = modeAfter(change, target, direction);
  if (isEqual(expected, target) && mode === null) return null;
  const now = await standingAt(place, withDefaults().maxFileBytes);
  const hasMode = mode === null || now.kind !== 'file' || now.file.mode === mode || !wasMadeAgain(change);
  if (isSame(now, target) && hasMode) return null;
  const refused = mayTouch(place.path, options);
  if (refused !== null) return refused;
  if (change.isTangled) return { reason: 'was changed by something else between the changes of the session' };
  if (!isSame(now, expected)) return { reason: 'was changed since' };
  if (target?.kind !== 'file') return { place, now, target, bytes: null, mode: null };
  const bytes = await contentOf(change, now.kind === 'file' ? now.file.bytes : null, options);
  if (bytes === null || digestOf(bytes) !== target.digest)
    return { reason: 'cannot be put back: its former content is lost' };
  // Edits leave the mode as it is; a file that was made again has the mode of a new one.
  if (now.kind !== 'file' || mode === null || !wasMadeAgain(change)) return { place, now, target, bytes, mode };
  return { place, now: { ...now, file: { ...now.file, mode } }, target, bytes, mode };
}

const modeAfter = ({ mode }: FileChange, target: FormerEntry, direction: ReversalOptions['direction']) =>
  target?.kind !== 'file' ? null : direction === 'undo' ? target.mode : mode;

/** Whether a file was removed and another one made in its place. */
const wasMadeAgain = ({ before, after, steps }: FileChange) =>
  before?.kind === 'file' && after !== null && steps.slice(1).some((step) => step.before === null);

/** Null if nothing speaks against it. */
function mayTouch(path: string, { cwd, allowsOutside = false, allowsObeyed = false }: ReversalOptions): Blocked | null {
  const isHere = isInside(cwd, path);
  if (!isHere && !allowsOutside) return { reason: "lies outside of the session's folder", needs: 'allowsOutside' };
  if (allowsObeyed || !isObeyed(path, { cwd: isHere ? cwd : '/', home: homedir() })) return null;
  return { reason: 'is a file that other programs obey', needs: 'allowsObeyed' };
}

/** What the one end of a change was, worked out from what stands at the other, call by call; null if some of it is lost. */
async function contentOf(
  { steps }: FileChange,
  standing: Buffer | null,
  { direction, blobs }: ReversalOptions,
): Promise<Buffer | null> {
  let content = standing;
  for (const { before, after } of direction === 'undo' ? [...steps].reverse() : steps) {
    const former = before?.kind === 'file' ? before : null;
    const target = direction === 'undo' ? (former?.digest ?? null) : after;
    const delta = content === null ? undefined : former?.delta;
    const kept = target === null ? null : await blobs.get(delta ?? target);
    if (target !== null && kept === null) return null;
    if (kept === null || content === null || delta === undefined) content = kept === null ? null : Buffer.from(kept);
    else content = applyDelta(kept, content, direction);
    if (target !== null && content === null) return null;
  }
  return content;
}

function isEqual(one: FormerEntry, other: FormerEntry): boolean {
  if (one?.kind === 'file' && other?.kind === 'file') return one.digest === other.digest;
  return one === null && other === null;
}

function changeOf({ place, now, bytes }: Step): Change[] {
  const before = now.kind === 'file' ? now.file : null;
  if (before === null && bytes === null) return [];
  return [{ place, before, after: bytes, text: { before: shownText(before?.bytes), after: shownText(bytes) } }];
}

function shownText(bytes: Buffer | null | undefined): string | null {
  if (bytes == null) return null;
  const decoded = isBinary(bytes) ? null : decodeText(bytes);
  return decoded?.text ?? `(${bytes.length} bytes that are not text)\n`;
}

/**
 * Folders first, the outer before the inner: what is staged first is cleaned up last, and a folder can only go, or get
 * its own rights back, when all is done in it.
 */
function operationsOf(steps: readonly Step[], madeFolders: readonly Place[], mark: string): Operation[] {
  const options: OperationOptions = { mark, isAlone: steps.length === 1 };
  const isFolder = ({ now, target }: Step) => now.kind === 'folder' || target?.kind === 'folder';
  const folders = [
    ...steps.filter(isFolder).map((step) => ({ place: step.place, deed: operationFor(step, options) })),
    ...madeFolders.map((place) => ({ place, deed: removeFolder(place, options) })),
  ].sort((one, other) => (one.place.path < other.place.path ? -1 : 1));
  return [
    ...folders.map(({ deed }) => deed),
    ...steps.filter((step) => !isFolder(step)).map((step) => operationFor(step, options)),
  ];
}

function operationFor({ place, now, target, bytes, mode }: Step, options: OperationOptions): Operation {
  switch (target?.kind) {
    case 'file': {
      if (bytes === null) throw new Error(`no content for ${place.path}`);
      const before = now.kind === 'file' ? now.file : null;
      return putFile({ place, bytes, before, ...(mode !== null && { mode }) }, options);
    }
    case 'link':
      return makeLink(place, target.target, options);
    case 'folder':
      return makeFolder(place, target.mode, options);
    case 'lost':
    case undefined:
      if (now.kind === 'file') return removeFile({ place, before: now.file }, options);
      if (now.kind === 'link') return removeLink(place, now.target, options);
      return removeFolder(place, options);
    default:
      return target satisfies never;
  }
}
