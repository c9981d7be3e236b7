import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { messageOf, PawlError } from '@pawl/protocol';
import { systemCode } from '../failures.ts';

/** More than this nobody sends who wants to be read. */
const maxCodings = 2;

/** Largest window that zstd may ask for, as a power of two. Source: RFC 9659 (8 MB for HTTP). */
const zstdWindowLog = 23;

/**
 * The whole body of an answer, unpacked. What comes and what it unpacks to are both counted as they come, and reading
 * ends with the first byte over the limit.
 * @throws `too_large`, `bad_body`; what the connection failed with.
 */
export async function readBody(
  response: IncomingMessage,
  { limitBytes, onBytes }: { limitBytes: number; onBytes(totalBytes: number): void },
): Promise<Buffer> {
  if (Number(response.headers['content-length'] ?? 0) > limitBytes) {
    response.destroy();
    throw tooLarge(limitBytes);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop early destroys the connection.
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw tooLarge(limitBytes);
    onBytes(bytes);
    chunks.push(chunk);
  }
  const packed = Buffer.concat(chunks);
  return packed.length === 0 ? packed : unpack(packed, response.headers['content-encoding'] ?? '', limitBytes);
}

async function unpack(packed: Buffer, encoding: string, limitBytes: number): Promise<Buffer> {
  const codings = encoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > maxCodings)
    throw new PawlError('bad_body', `The answer is packed ${codings.length} times over and was not unpacked.`);
  let bytes = packed;
  for (const coding of codings.reverse()) {
    try {
      bytes = await unpackOnce(bytes, coding, limitBytes);
    } catch (cause) {
      if (cause instanceof PawlError) throw cause;
      if (systemCode(cause) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes);
      throw new PawlError('bad_body', `The answer cannot be unpacked: ${messageOf(cause)}.`, { cause });
    }
  }
  return bytes;
}

async function unpackOnce(packed: Buffer, coding: string, maxOutputLength: number): Promise<Buffer> {
  const zlib = await import('node:zlib');
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return promisify<Buffer, object, Buffer>(zlib.gunzip)(packed, { maxOutputLength });
    case 'deflate': {
      // Some servers leave out the two bytes that should stand in front.
      const isWrapped = ((packed[0] ?? 0) & 0x0f) === 8 && packed.length > 1 && packed.readUInt16BE(0) % 31 === 0;
      return promisify<Buffer, object, Buffer>(isWrapped ? zlib.inflate : zlib.inflateRaw)(packed, { maxOutputLength });
    }
    case 'br':
      return promisify<Buffer, object, Buffer>(zlib.brotliDecompress)(packed, { maxOutputLength });
    case 'zstd': {
      const params = { [zlib.constants.ZSTD_d_windowLogMax]: zstdWindowLog };
      return promisify<Buffer, object, Buffer>(zlib.zstdDecompress)(packed, { maxOutputLength, params });
    }
    default:
      throw new PawlError(
        'bad_body',
        `The answer is packed as ${JSON.stringify(coding.slice(0, 40))}, which is not known.`,
      );
  }
}

function tooLarge(limitBytes: number): PawlError {
  const size = (limitBytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 });
  return new PawlError('too_large', `The answer is larger than ${size} MB, the most that is fetched.`);
}
