import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** More than tools read of one file. */
const mostBytes = 10_000_000;

/** The bytes of a file. Rejects for what is none, and so for a pipe that would never end, and for what is too large. */
export async function readRegularFile(path: string): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = await file
      .stat()
      .then((status) => (status.isFile() ? status : { size: Number.POSITIVE_INFINITY }));
    if (size > mostBytes) throw new Error(`${path} is no file of at most ${mostBytes} bytes.`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
