import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';

/** A file that is larger is no text to be shown. */
const largestBytes = 2_000_000;

/**
 * The bytes of a file that the session changed. Meanwhile somebody may have put another thing in its place: a pipe is not
 * waited for, and a link, which may lead out of where the session may look, is not followed.
 * @throws for whatever is no plain file of a size that can be shown.
 */
export async function readPlainFile(path: string): Promise<Uint8Array> {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
  if ((await realpath(path)) !== path) throw new Error(`${path} is a link now.`);
  const file = await open(path, O_RDONLY | (O_NONBLOCK ?? 0) | (O_NOFOLLOW ?? 0));
  try {
    const status = await file.stat();
    if (!status.isFile()) throw new Error(`${path} is no file any more.`);
    if (status.size > largestBytes) throw new Error(`${path} is too large to be shown.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
