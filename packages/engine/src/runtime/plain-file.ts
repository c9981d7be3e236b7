import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';

/** A larger file is not shown. */
const largestBytes = 2_000_000;

/**
 * The bytes of a file that the session changed. Somebody may have replaced it meanwhile: a pipe is not waited for, and a
 * link is not followed, since it may lead where the session may not read.
 * @throws for anything but a plain file that is small enough to be shown.
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
