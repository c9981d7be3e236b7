/** What a patch makes of the files that it names, worked out without touching them. */
import type { ToolScope } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import type { ToolOptions } from '../../options.ts';
import { type Place, resolveEntry, resolvePlace } from '../../paths.ts';
import type { Change } from '../change.ts';
import { type DecodedText, decodeText, encodeText, isBinary } from '../encodings.ts';
import { type FileBytes, readFileBytes, refuseSize } from '../regular-file.ts';
import { refuseStale } from '../staleness.ts';
import { applyHunks } from './hunks.ts';
import type { FilePatch } from './types.ts';

/** One file as the patch has left it so far. `bytes` is null where there is none. */
type Draft = {
  place: Place;
  before: FileBytes | null;
  bytes: Buffer | null;
  mode?: number;
  /** The two ends of a move, as long as they are that: what comes later in the patch may undo it. */
  movedTo?: Draft;
  movedFrom?: Draft;
};

/** Canonical places of all that the patch touches, each once. */
export async function placesOf(files: readonly FilePatch[], cwd: string): Promise<Place[]> {
  const places = new Map<string, Place>();
  for (const file of files) {
    const named = file.kind === 'update' && file.moveTo !== null ? [file.path, file.moveTo] : [file.path];
    for (const path of named) {
      const place = await resolvePlace(path, cwd);
      places.set(place.path, place);
    }
  }
  return [...places.values()];
}

/** All changes of a patch, in its order. @throws with the file and the reason; nothing is changed by it. */
export async function changesOf(
  files: readonly FilePatch[],
  scope: ToolScope,
  options: ToolOptions,
): Promise<Change[]> {
  const drafts = new Map<string, Draft>();
  const draftOf = async (path: string): Promise<Draft> => {
    const place = await resolvePlace(path, scope.cwd);
    const existing = drafts.get(place.path);
    if (existing !== undefined) return existing;
    const before = await readFileBytes(place, options.maxFileBytes);
    refuseStale(place, before, scope, { mustHaveRead: false });
    const draft: Draft = { place, before, bytes: before?.bytes ?? null };
    drafts.set(place.path, draft);
    return draft;
  };
  for (const file of files) {
    const draft = await draftOf(file.path);
    switch (file.kind) {
      case 'add':
        add(draft, file);
        break;
      case 'delete':
        await refuseLink(file.path, draft, scope.cwd);
        remove(draft, file);
        break;
      case 'update':
        update(draft, file);
        if (file.moveTo !== null) {
          await refuseLink(file.path, draft, scope.cwd);
          move(draft, await draftOf(file.moveTo));
        }
        break;
      default:
        file satisfies never;
    }
    refuseSize(draft.place.shown, draft.bytes?.length ?? 0, options.maxFileBytes);
  }
  return [...drafts.values()].filter(({ before, bytes }) => before !== null || bytes !== null).map(changeOf);
}

function add(draft: Draft, { lines, endsWithLineEnd, isExecutable }: Extract<FilePatch, { kind: 'add' }>): void {
  const { shown } = draft.place;
  if (draft.bytes !== null) {
    throw new PawlError('exists', `${shown} exists already. Update it, or delete it first. Nothing was changed.`);
  }
  const text = lines.join('\n') + (lines.length > 0 && endsWithLineEnd ? '\n' : '');
  draft.bytes = encodeText({ text, encoding: 'utf8' });
  if (isExecutable) draft.mode = 0o755;
}

function remove(draft: Draft, { hunks }: Extract<FilePatch, { kind: 'delete' }>): void {
  const bytes = existing(draft);
  if (hunks.length > 0 && applyHunks(textOf(draft, bytes).text, hunks, draft.place.shown) !== '') {
    const sentence = `${draft.place.shown} has more than the lines that the patch removes with it.`;
    throw new PawlError('no_match', `${sentence} Nothing was changed.`);
  }
  draft.bytes = null;
}

function update(draft: Draft, { hunks }: Extract<FilePatch, { kind: 'update' }>): void {
  const bytes = existing(draft);
  if (hunks.length === 0) return;
  const decoded = textOf(draft, bytes);
  const text = applyHunks(decoded.text, hunks, draft.place.shown);
  draft.bytes = encodeText({ ...decoded, text });
}

function move(from: Draft, to: Draft): void {
  if (from === to) return;
  if (to.bytes !== null) {
    throw new PawlError(
      'exists',
      `${to.place.shown} exists already, so ${from.place.shown} is not moved there. Delete it first. Nothing was changed.`,
    );
  }
  to.bytes = from.bytes;
  const mode = from.mode ?? from.before?.mode;
  if (mode !== undefined) to.mode = mode;
  from.movedTo = to;
  to.movedFrom = from;
  from.bytes = null;
}

function existing({ place, bytes }: Draft): Buffer {
  if (bytes !== null) return bytes;
  throw new PawlError(
    'not_found',
    `${place.shown} does not exist. Use "*** Add File" to create it. Nothing was changed.`,
  );
}

function textOf({ place }: Draft, bytes: Buffer): DecodedText {
  const decoded = isBinary(bytes) ? null : decodeText(bytes);
  if (decoded !== null && encodeText(decoded).equals(bytes)) return decoded;
  throw new PawlError(
    'not_text',
    `${place.shown} is binary or in an unknown encoding; patching it as text would damage it. Nothing was changed.`,
  );
}

/** Of a link, a patch would remove what it leads to. */
async function refuseLink(path: string, { place }: Draft, cwd: string): Promise<void> {
  const entry = await resolveEntry(path, cwd);
  if (entry.path === place.path) return;
  throw new PawlError(
    'is_link',
    `${entry.shown} is a symlink to ${place.shown}. Name that file, or remove the link with delete. Nothing was changed.`,
  );
}

function shownText(bytes: Buffer): string {
  const decoded = isBinary(bytes) ? null : decodeText(bytes);
  return decoded?.text ?? `(${bytes.length} bytes that are not text)\n`;
}

/** A file that is gone, and stands as a new one elsewhere, is shown as one change. All else must be shown for itself. */
function isMove(from: Draft | undefined, to: Draft | undefined): boolean {
  return (
    from !== undefined &&
    to !== undefined &&
    from.movedTo === to &&
    to.movedFrom === from &&
    from.bytes === null &&
    from.before !== null &&
    to.before === null &&
    to.bytes !== null
  );
}

function movedOf(draft: Draft): Change['moved'] {
  const { movedTo, movedFrom } = draft;
  if (movedTo !== undefined && isMove(draft, movedTo)) return { to: movedTo.place.shown };
  if (movedFrom?.before == null || !isMove(movedFrom, draft)) return undefined;
  return { from: { shown: movedFrom.place.shown, text: shownText(movedFrom.before.bytes) } };
}

function changeOf(draft: Draft): Change {
  const { place, before, bytes, mode } = draft;
  const moved = movedOf(draft);
  return {
    place,
    before,
    after: bytes,
    text: {
      before: before === null ? null : shownText(before.bytes),
      after: bytes === null ? null : shownText(bytes),
    },
    ...(before === null && mode !== undefined && { mode }),
    ...(moved !== undefined && { moved }),
  };
}
