/** The line that a command's output comes through, read into one buffer, however much it is. */
import { mkdtemp, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { temporaryPrefix } from './sandbox/temporaries.ts';

export type OutputLine = {
  /** For the command: its descriptors 1 and 2. To be closed here once it has them. */
  writer: Socket;
  /** Closes when nobody can write any more. */
  reader: Socket;
};

/** Longer paths cannot name a socket. */
const longestPath = 100;
const bufferBytes = 65_536;

/**
 * `onOutput` gets what comes; the bytes are its own only until it returns. A pipe of `spawn` would make a new buffer of
 * 64 KB for each piece, and a gigabyte in small pieces would need half of that in memory before it is collected.
 */
export async function openOutputLine(onOutput: (chunk: Buffer) => void): Promise<OutputLine> {
  const { connect, createServer } = await import('node:net');
  const prefix = temporaryPrefix('line');
  const isTooLong = join(`${prefix}XXXXXX`, 'line').length > longestPath;
  // Nobody else can come in: the folder is this user's alone.
  const folder = await mkdtemp(isTooLong ? temporaryPrefix('line', '/tmp') : prefix);
  try {
    const path = join(folder, 'line');
    const server = createServer({ pauseOnConnect: true });
    return await new Promise<OutputLine>((resolve, reject) => {
      server.on('error', reject);
      server.listen(path, () => {
        const callback = (length: number, bytes: Uint8Array) => {
          onOutput(Buffer.from(bytes.buffer, bytes.byteOffset, length));
          return true;
        };
        const reader = connect({ path, onread: { buffer: Buffer.allocUnsafe(bufferBytes), callback } });
        reader.on('error', reject);
        reader.on('end', () => reader.destroy());
        server.once('connection', (writer) => {
          server.close();
          writer.on('error', () => writer.destroy());
          resolve({ writer, reader });
        });
      });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
