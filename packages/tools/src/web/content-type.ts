import { isBinary } from '../files/encodings.ts';

/** What can be made of an answer's body. */
export type ContentKind = 'html' | 'text' | 'media' | 'unknown';

const mediaStarts: readonly (readonly number[])[] = [
  [0x89, 0x50, 0x4e, 0x47],
  [0xff, 0xd8, 0xff],
  [0x47, 0x49, 0x46, 0x38],
  [0x52, 0x49, 0x46, 0x46],
  [0x25, 0x50, 0x44, 0x46],
];

const textTypes =
  /^(?:text\/.*|.*[/+](?:json|xml|yaml|toml)|application\/(?:x-)?(?:javascript|ecmascript|typescript|ndjson|jsonlines|yaml|toml|sh|shellscript|httpd-php|sql|graphql|tex|latex|rtf|pem-file|x509-ca-cert|www-form-urlencoded|subrip|mpegurl))$/;

/** The type without its parameters, in lower case; empty if there is none. */
export const mediaTypeIn = (contentType: string) => (contentType.split(';')[0] ?? '').trim().toLowerCase();

/** By the type that the server gives; by the bytes where it gives none that says anything. */
export function contentKind(contentType: string, bytes: Uint8Array): ContentKind {
  const type = mediaTypeIn(contentType);
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (type === 'image/svg+xml' || textTypes.test(type))
    return isBinary(bytes) && !isUtf16(contentType) ? 'unknown' : 'text';
  if (mediaStarts.some((start) => start.every((byte, index) => bytes[index] === byte))) return 'media';
  const saysNothing = type === '' || type === 'application/octet-stream' || type === 'binary/octet-stream';
  if (!saysNothing || isBinary(bytes)) return 'unknown';
  return /^\s*(?:<!doctype html|<html)/i.test(new TextDecoder('latin1').decode(bytes.subarray(0, 512)))
    ? 'html'
    : 'text';
}

const isUtf16 = (contentType: string) => /charset\s*=\s*["']?utf-?16/i.test(contentType);
