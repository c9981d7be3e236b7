import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isInside } from '@pawl/policy';
import { systemCode } from '../failures.ts';

export type Read = {
  text: string;
  /** Of the whole file, which may have more than `text` has. */
  bytes: number;
  isCut: boolean;
};

/**
 * The beginning of a text file that somebody else may have put there; null if there is none. A pipe is not waited for,
 * and a link is followed only to where `within` allows, and there to `kinds` of files: others may be secrets.
 * @throws what is wrong with it, as a sentence without its name.
 */
export async function readText(
  path: string,
  maxBytes: number,
  within: string | null,
  kinds: RegExp | null = null,
): Promise<Read | null> {
  const real = await realpath(path).catch((error: unknown) => {
    if (isAbsent(error)) return null;
    throw new Error(reasonOf(error));
  });
  if (real === null) return null;
  if (within !== null && !isInside(within, real)) throw new Error('it is a link that leads out of its place');
  if (within !== null && kinds?.test(real) === false) throw new Error('it is a link to another kind of file');
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  const file = await open(real, O_RDONLY | O_NONBLOCK | O_NOFOLLOW).catch((error: unknown) => {
    throw new Error(reasonOf(error));
  });
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error('it is no file');
    const buffer = Buffer.alloc(Math.min(status.size, maxBytes) + 1);
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await file.read(buffer, length, buffer.length - length, null);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    const isCut = length > maxBytes;
    const kept = buffer.subarray(0, Math.min(length, maxBytes));
    if (kept.includes(0)) throw new Error('it is no text');
    // Half a character at the cut is none.
    const text = new TextDecoder().decode(kept, { stream: isCut });
    return { text, bytes: Math.max(status.size, length), isCut };
  } finally {
    await file.close();
  }
}

const isAbsent = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '');

function reasonOf(error: unknown): string {
  const code = systemCode(error);
  if (code === 'EACCES' || code === 'EPERM') return 'it must not be read';
  if (code === 'ELOOP') return 'it is a link that leads nowhere';
  return `it cannot be read (${code ?? String(error)})`;
}
