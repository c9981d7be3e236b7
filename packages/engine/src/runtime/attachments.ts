/**
 * Images and documents on their way into a session. Providers refuse a request for one file that they cannot read, and
 * every later request holds it too; so only what all of them can hold comes in.
 */
import type { FilePart, UserPart } from '@pawl/protocol';
import { messageOf, PawlError } from '@pawl/protocol';
import type { State } from '../core/index.ts';
import type { PreparedFile } from '../media/index.ts';
import type { BlobStore } from '../ports.ts';

export type Attachments = {
  /** Keeps a file for an input, made fit for models. @throws what `prepareFile` throws. */
  attach(bytes: Uint8Array, name?: string): Promise<FilePart>;
  /** @throws `no_file`, `bad_file`, `too_many_files`, and what `prepareFile` throws, for what must not come in. */
  checkInput(files: readonly FilePart[], state: Readonly<State>): Promise<void>;
  /**
   * A result's files, made fit for models, and a line in place of each that must not come in. They count until `signal`
   * aborts: then the result will not be part of the session.
   */
  admitResult(
    files: readonly FilePart[],
    state: Readonly<State>,
    signal: AbortSignal,
  ): Promise<{ files: FilePart[]; refused: string[] }>;
};

/** What a file takes up of every request that holds it. */
type Weight = { bytes: number; sheets: number };

/** Files of results that were let in when the history had `held` files, in the list that a compaction replaces by another. */
type Ledger = { list: readonly string[]; held: number; admitted: readonly { digest: string; signal: AbortSignal }[] };

/** Loaded with the first file. */
const media = () => import('../media/index.ts');

export function createAttachments(blobs: BlobStore): Attachments {
  /** Of all files that this host has seen. */
  const weights = new Map<string, Weight>();
  const prepared = new Set<string>();
  const ledgers = new WeakMap<Readonly<State>, Ledger>();

  const remember = (digest: string, { bytes, sheets }: PreparedFile) => {
    weights.set(digest, { bytes: bytes.length, sheets });
    prepared.add(digest);
  };

  const bytesOf = async (file: FilePart): Promise<Uint8Array> => {
    const bytes = await blobs.get(file.digest);
    if (bytes !== null) return bytes;
    throw new PawlError('no_file', `The bytes of ${nameOf(file)} are not here. ${howToAttach}`);
  };

  const weighHeld = async (state: Readonly<State>): Promise<void> => {
    for (const digest of heldBy(state)) {
      if (!weights.has(digest)) weights.set(digest, await weigh(await blobs.get(digest)));
    }
  };

  /** Waits for nothing, so that two that come together are counted one after the other. */
  const isRoomFor = (digests: readonly string[], state: Readonly<State>, limits: Weight): boolean => {
    const total = { bytes: 0, sheets: 0 };
    const waiting = underway(state).map(({ digest }) => digest);
    for (const digest of [...heldBy(state), ...waiting, ...digests]) {
      const { bytes, sheets } = weights.get(digest) ?? { bytes: 0, sheets: 1 };
      total.bytes += bytes;
      total.sheets += sheets;
    }
    return total.bytes <= limits.bytes && total.sheets <= limits.sheets;
  };

  /** What was let in and is not in the history yet. */
  const underway = (state: Readonly<State>): Ledger['admitted'] => {
    const { list, held = 0, admitted = [] } = ledgers.get(state) ?? {};
    // It is compacted between steps, when what was let in has landed or is void.
    if (list !== state.attachments) return [];
    const landed = state.attachments.slice(held);
    return admitted.filter(({ digest, signal }) => {
      const index = landed.indexOf(digest);
      if (index < 0) return !signal.aborted;
      landed.splice(index, 1);
      return false;
    });
  };

  return {
    async attach(bytes, name) {
      const { prepareFile } = await media();
      const fit = await prepareFile(bytes, name);
      const digest = await blobs.put(fit.bytes);
      remember(digest, fit);
      return partOf(fit, digest, name);
    },
    async checkInput(files, state) {
      const { limits, mediaTypeOf, prepareFile } = await media();
      for (const file of files) {
        const bytes = await bytesOf(file);
        if (bytes.length !== file.sizeBytes || mediaTypeOf(bytes) !== file.mediaType) {
          throw new PawlError('bad_file', `${nameOf(file)} is not what its part says it is. ${howToAttach}`);
        }
        if (prepared.has(file.digest)) continue;
        const fit = await prepareFile(bytes, nameOf(file));
        if (fit.isShrunk) throw new PawlError('bad_file', `${nameOf(file)} is too large as it is. ${howToAttach}`);
        remember(file.digest, fit);
      }
      await weighHeld(state);
      const digests = files.map(({ digest }) => digest);
      const most = { bytes: limits.requestBytes, sheets: limits.requestSheets };
      if (!isRoomFor(digests, state, most)) throw tooMany();
    },
    async admitResult(files, state, signal) {
      const { limits, prepareFile } = await media();
      const most = { bytes: limits.requestBytes, sheets: limits.requestSheets };
      const shown: FilePart[] = [];
      const refused: string[] = [];
      for (const file of files) {
        try {
          await weighHeld(state);
          const fit = await prepareFile(await bytesOf(file), nameOf(file));
          const digest = fit.isShrunk ? await blobs.put(fit.bytes) : file.digest;
          remember(digest, fit);
          if (!isRoomFor([digest], state, most)) throw tooMany();
          const admitted = [...underway(state), { digest, signal }];
          ledgers.set(state, { list: state.attachments, held: state.attachments.length, admitted });
          shown.push(partOf(fit, digest, file.name));
        } catch (error) {
          refused.push(`[file ${nameOf(file)} cannot be shown: ${messageOf(error)}]`);
        }
      }
      return { files: shown, refused };
    },
  };
}

/** The files of a content. */
export function filesIn(content: readonly UserPart[]): FilePart[] {
  return content.filter((part) => part.type === 'file');
}

/** The files of a session's history, and of inputs that wait to become part of it. */
function heldBy({ attachments, queue }: Readonly<State>): string[] {
  return [...attachments, ...queue.flatMap(({ content }) => filesIn(content)).map(({ digest }) => digest)];
}

/** Of bytes that came in before, by whatever rules held then. */
async function weigh(bytes: Uint8Array | null): Promise<Weight> {
  if (bytes === null) return { bytes: 0, sheets: 0 };
  const { inspectPdf, mediaTypeOf } = await media();
  if (mediaTypeOf(bytes) !== 'application/pdf') return { bytes: bytes.length, sheets: 1 };
  const { pages } = await inspectPdf(bytes).catch(() => ({ pages: 1 }));
  return { bytes: bytes.length, sheets: pages };
}

function partOf({ mediaType, bytes }: PreparedFile, digest: string, name: string | undefined): FilePart {
  return { type: 'file', mediaType, digest, sizeBytes: bytes.length, ...(name !== undefined && { name }) };
}

const nameOf = (file: FilePart) => file.name ?? file.mediaType;

const howToAttach = 'Send what `attach` gives for the file.';

function tooMany(): PawlError {
  return new PawlError(
    'too_many_files',
    'This session holds as many images and PDFs as one request can. Begin a new session for more.',
  );
}
