import { fileRefusal } from './errors.ts';
import { prepareImage, type Sharp } from './images.ts';
import { mediaTypeOf } from './kinds.ts';
import { preparePdf } from './pdfs.ts';
import type { PreparedFile } from './prepared-file.ts';

/**
 * Makes sure that models can take a file: an image of PNG, JPEG, GIF or WebP, or a PDF, by its bytes and not by its
 * name. An image that is too large is shrunk. What was prepared once comes out of it unchanged.
 * @param name What errors call it.
 * @throws `empty_file`, `unknown_file_type`, `damaged_file`, `file_too_large`.
 */
export async function prepareFile(bytes: Uint8Array, name = 'The file'): Promise<PreparedFile> {
  if (bytes.length === 0) throw fileRefusal('empty_file', name, 'is empty.');
  const mediaType = mediaTypeOf(bytes);
  if (mediaType === null) {
    const wanted = 'models take images (PNG, JPEG, GIF, WebP) and PDFs';
    throw fileRefusal('unknown_file_type', name, `is neither an image nor a PDF; ${wanted}.`);
  }
  if (mediaType === 'application/pdf') return preparePdf(bytes, name);
  return alone(async () => prepareImage({ bytes, mediaType, name }, await loadSharp()));
}

let last: Promise<unknown> = Promise.resolve();

/** One image is decoded at a time, so that many need no more memory than one. */
function alone<Value>(work: () => Promise<Value>): Promise<Value> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

let loading: Promise<Sharp | null> | undefined;

/** It is optional: a native library, which not every machine has. */
function loadSharp(): Promise<Sharp | null> {
  loading ??= import('sharp').then(
    (module) => module.default,
    () => null,
  );
  return loading;
}
