/** Takes back what turns did to files, or does it again: all of it or nothing, and nothing that others did since. */
import { readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import type { BlobStore, FormerEntry } from '@pawl/engine';
import { entryDigest, type FileChange, type FileChanges } from '@pawl/engine/readers';
import { isInside, isObeyed } from '@pawl/policy';
import { messageOf, type Preview } from '@pawl/protocol';
import { escapeName } from '../../escape.ts';
import { withDefaults } from '../../options.ts';
import type { Place } from '../../paths.ts';
import type { Change } from '../change.ts';
import { applyDelta } from '../delta.ts';
import { removeFolders } from '../disk/open-folder.ts';
import { removeLeftovers } from '../disk/operation.ts';
import { decodeText, isBinary } from '../encodings.ts';
import { previewChanges } from '../preview.ts';
import { digestOf } from '../regular-file.ts';
import { isSame, type Standing, standingAt } from './standing.ts';
import { carryOut, changesKind, type Step } from './steps.ts';

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

/** What would be done, with nothing done yet. */
export type Reversal = {
  /** Paths for people, each with what would become of it. */
  steps: { shown: string; deed: 'restored' | 'removed' | 'changed back' }[];
  /** What stands at each of these paths once it is done, as `entryDigest` says it. */
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
  const { direction, session, cwd } = options;
  const found: Found[] = [];
  for (const change of changes.changes) {
    const place = placeOf(change.path, cwd);
    const ends = endsOf(change, changes, direction);
    const outcome = await stepFor(change, ends, place, options).catch((error: unknown) => ({
      reason: reasonOf(error, place),
    }));
    found.push({ place, target: ends.target, outcome });
  }
  // Folders that were made for files go with them, and come back with them.
  const made = direction === 'undo' ? changes.madeFolders.filter((path) => !isFolderBefore(changes, path)) : [];
  const { steps, done, blocked } = await sorted(found, made);
  const isEmptied = (folder: string) =>
    steps.some(({ place, target }) => target === null && isInside(folder, place.path));
  const mark = `reversal\0${session}`;
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
    digests: Object.fromEntries(steps.map(({ place, recorded }) => [place.path, recorded])),
    done: done.map(({ shown }) => shown),
    blocked,
    preview: () => previewChanges(steps.flatMap(changeOf)),
    tidy,
    async apply(signal = new AbortController().signal) {
      await tidy();
      return carryOut(
        steps,
        made.filter(isEmptied).map((path) => placeOf(path, cwd)),
        { mark, signal },
      );
    },
  };
}

/** What came of looking at one path: a step, a reason why there is none, or null where nothing is to be done. */
type Found = { place: Place; target: FormerEntry; outcome: Step | Blocked | null };

/** A step also needs others: a folder that is to go must be empty by then, and one that is to be filled must come back. */
async function sorted(found: readonly Found[], made: readonly string[]) {
  const blocked: Reversal['blocked'] = [];
  const absent: Place[] = [];
  const steps: Step[] = [];
  const removed = new Set(made);
  for (const { place, outcome, target } of found) {
    if (outcome === null || 'reason' in outcome) {
      if (outcome !== null) blocked.push({ shown: place.shown, ...outcome });
      if (outcome !== null && target?.kind === 'folder') absent.push(place);
    } else {
      steps.push(outcome);
      if (outcome.target === null) removed.add(place.path);
    }
  }
  const possible: Step[] = [];
  for (const step of steps) {
    const { place, target } = step;
    const other = step.now.kind === 'folder' && changesKind(step) ? await otherIn(place.path, removed) : null;
    const missing = target === null ? undefined : absent.find(({ path }) => isInside(path, place.path));
    if (other !== null) {
      blocked.push({ shown: place.shown, reason: `is a folder that holds something else: ${escapeName(other)}` });
    } else if (missing !== undefined) {
      blocked.push({ shown: place.shown, reason: `lies in ${missing.shown}, which cannot be put back` });
    } else possible.push(step);
  }
  return { steps: possible, done: found.flatMap(({ place, outcome }) => (outcome === null ? [place] : [])), blocked };
}

/** Something below a folder that is not among these paths, relative to it; null for nothing. */
async function otherIn(folder: string, paths: ReadonlySet<string>): Promise<string | null> {
  const names = await readdir(folder, { recursive: true });
  return names.find((name) => !paths.has(join(folder, name))) ?? null;
}

const isFolderBefore = ({ changes }: FileChanges, path: string) =>
  changes.some((change) => change.path === path && change.before?.kind === 'folder');

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

/** Rights of what is made without any said. */
const plainMode = (kind: 'file' | 'folder') => (kind === 'file' ? 0o666 : 0o777) & ~process.umask();

/** What stands at one end of a change and what is to stand there; where a file or link was, a folder may have been made. */
type Ends = { expected: FormerEntry; target: FormerEntry };

function endsOf(change: FileChange, { madeFolders }: FileChanges, direction: ReversalOptions['direction']): Ends {
  const { before, after: digest, mode, path } = change;
  const isFolder = digest === null && before !== null && madeFolders.includes(path);
  const after: FormerEntry =
    digest !== null
      ? { kind: 'file', digest, mode: mode ?? 0 }
      : isFolder
        ? { kind: 'folder', mode: plainMode('folder') }
        : null;
  return direction === 'undo' ? { expected: after, target: before } : { expected: before, target: after };
}

/** Null if there is nothing to do; a reason if it cannot be done. */
async function stepFor(
  change: FileChange,
  { expected, target }: Ends,
  place: Place,
  options: ReversalOptions,
): Promise<Step | Blocked | null> {
  const { direction } = options;
  if (change.before?.kind === 'lost') return { reason: `cannot be put back: ${change.before.reason}` };
  const mode = modeAfter(change, target, direction);
  if (isEqual(expected, target) && mode === null) return null;
  const now = await standingAt(place, withDefaults().maxFileBytes);
  const hasMode = mode === null || now.kind !== 'file' || now.file.mode === mode || !wasMadeAgain(change);
  if (isSame(now, target) && hasMode) return null;
  const refused = mayTouch(place.path, options);
  if (refused !== null) return refused;
  if (change.isTangled) return { reason: 'was changed by something else between the changes of the session' };
  // What is to become something else goes first; an attempt may have been killed in between.
  const isHalfDone = now.kind === 'nothing' && expected !== null && target !== null && expected.kind !== target.kind;
  if (!isSame(now, expected) && !isHalfDone) return { reason: 'was changed since' };
  const recorded = direction === 'redo' ? change.after : entryDigest(target);
  if (target?.kind !== 'file') return { place, now, target, bytes: null, mode: null, recorded };
  const bytes = await contentOf(change, now.kind === 'file' ? now.file.bytes : null, options);
  if (bytes === null || digestOf(bytes) !== target.digest)
    return { reason: 'cannot be put back: its former content is lost' };
  // Edits leave the mode as it is; a file that was made again has the mode of a new one.
  if (now.kind !== 'file' || mode === null || !wasMadeAgain(change))
    return { place, now, target, bytes, mode, recorded };
  return { place, now: { ...now, file: { ...now.file, mode } }, target, bytes, mode, recorded };
}

function modeAfter(change: FileChange, target: FormerEntry, direction: ReversalOptions['direction']): number | null {
  if (target?.kind !== 'file') return null;
  if (direction === 'undo') return target.mode;
  return change.mode ?? (wasMadeAgain(change) ? plainMode('file') : null);
}

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
