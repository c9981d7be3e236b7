import type { FilePart } from '@pawl/protocol';
import { type BytesOf, isTextType, showFile, type Takes } from '../files.ts';

/** A file with its bytes, as a part. */
export type Inline = { inlineData: { mimeType: string; data: string } };

const megabyte = 1024 * 1024;
/** Of one file, as base64; a whole request may have 100 MB. Source: https://ai.google.dev/gemini-api/docs/file-input-methods. */
const maxBytes = 66 * megabyte;

/** Source: https://ai.google.dev/gemini-api/docs/image-understanding and …/document-processing, …/audio, …/video-understanding. */
const inputTypes = /^(image\/(png|jpeg|webp|heic|heif)|application\/pdf|(audio|video)\/.+)$/;

/** Inside the result of a call. Source: https://ai.google.dev/gemini-api/docs/function-calling#multimodal. */
const resultTypes = /^(image\/(png|jpeg|webp)|application\/pdf|text\/plain)$/;

/** A file as a part, or a text that says why the model cannot see it. */
export function inlineFile(file: FilePart, { bytesOf, takes }: { bytesOf: BytesOf; takes: Takes }): Inline | string {
  const shown = showFile(file, bytesOf, takes, (mediaType) =>
    inputTypes.test(mediaType) || isTextType(mediaType) ? maxBytes : 0,
  );
  if (typeof shown === 'string') return shown;
  // Text of every kind is given as plain text, which all models take.
  return { inlineData: { mimeType: isTextType(shown.mediaType) ? 'text/plain' : shown.mediaType, data: shown.base64 } };
}

export function isResultType({ inlineData }: Inline): boolean {
  return resultTypes.test(inlineData.mimeType);
}
