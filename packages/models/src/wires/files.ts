import type { FilePart } from '@pawl/protocol';

/** Bytes of a file by its digest; null if they are lost. */
export type BytesOf = (digest: string) => Uint8Array | null;

/** A file with its bytes as base64, or a text that says why the model cannot see it. */
export type ShownFile = { name: string; mediaType: string; base64: string } | string;

/** Whether a model takes files of a type; null where nobody knows, and for text. */
export type Takes = (mediaType: string) => boolean | null;

/**
 * @param inputTypes Types of files that the model takes, as `ModelInfo` has them, asked for when there is a file. They
 * tell of images and PDFs; which forms of image, the API tells.
 */
export function takesOf(inputTypes: () => readonly string[] | undefined): Takes {
  return (mediaType) => {
    const types = inputTypes();
    if (types === undefined) return null;
    if (mediaType.startsWith('image/')) return types.some((type) => type.startsWith('image/'));
    return mediaType === 'application/pdf' ? types.includes(mediaType) : null;
  };
}

/**
 * @param takes What the model takes.
 * @param maxBytes Most bytes of a file of this type, as base64; 0 for a type that the API does not take.
 */
export function showFile(
  file: FilePart,
  bytesOf: BytesOf,
  takes: Takes,
  maxBytes: (mediaType: string) => number,
): ShownFile {
  const mediaType = plainType(file.mediaType);
  const name = file.name ?? mediaType;
  const most = takes(mediaType) === false ? 0 : maxBytes(mediaType);
  if (most === 0) return `[file ${name}: this model takes no ${kindOf(mediaType)}]`;
  if (base64Length(file.sizeBytes) > most) {
    return `[file ${name}: ${megabytes(file.sizeBytes)} MB is more than the ${megabytes((most * 3) / 4)} MB that this model takes]`;
  }
  const bytes = bytesOf(file.digest);
  if (bytes === null) return `[file ${name}: its content is lost]`;
  return { name, mediaType, base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64') };
}

/** What a shown file says, where it is text. */
export function textOfFile({ base64 }: { base64: string }): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** Whether a file of this type is text, whatever it is called. */
export function isTextType(mediaType: string): boolean {
  return /^text\/|^application\/(json|xml|yaml|x-yaml|toml|javascript|x-sh)$|\+(json|xml)$/.test(mediaType);
}

function plainType(mediaType: string): string {
  const [type = ''] = mediaType.toLowerCase().split(';');
  return type.trim() === 'image/jpg' ? 'image/jpeg' : type.trim();
}

function kindOf(mediaType: string): string {
  return mediaType === 'application/pdf' ? 'PDF' : mediaType;
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
