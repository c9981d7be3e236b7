/** Images and PDFs as results of `read`: the model sees the file itself. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ToolOutcome, ToolScope } from '@pawl/engine';
import { fileFailure } from '../failures.ts';
import type { Place } from '../paths.ts';
import type { FileBytes } from './regular-file.ts';

/** Most bytes of a file that is no text. What is larger could not be made to fit. */
export const maxMediaBytes = 64_000_000;

let loaded: Promise<typeof import('@pawl/engine/media')> | null = null;

/** Loaded with the first file that is read. */
function media(): Promise<typeof import('@pawl/engine/media')> {
  loaded ??= import('@pawl/engine/media');
  return loaded;
}

/** Whether bytes begin like something that models take besides text. */
export async function isMedia(bytes: Uint8Array): Promise<boolean> {
  const { mediaTypeOf } = await media();
  return mediaTypeOf(bytes) !== null;
}

/** The same of a file, from its beginning alone. */
export async function isMediaFile({ path, shown }: Place): Promise<boolean> {
  const { signatureBytes } = await media();
  try {
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(signatureBytes), 0, signatureBytes, 0);
      return await isMedia(buffer.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw fileFailure(error, shown);
  }
}

/** @throws `damaged_file`, `file_too_large`. */
export async function showMedia(place: Place, file: FileBytes, { blobs }: ToolScope): Promise<ToolOutcome> {
  const { prepareFile } = await media();
  const { mediaType, bytes, summary } = await prepareFile(file.bytes, place.shown);
  const digest = await blobs.put(bytes);
  return {
    content: `${place.shown}: ${summary}`,
    files: [{ type: 'file', mediaType, digest, sizeBytes: bytes.length, name: basename(place.path) }],
    details: { files: { [place.path]: file.digest } },
  };
}
