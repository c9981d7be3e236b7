/** The line that a command's output comes through, read into one buffer, however much it is. */
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { temporaryFolder } from '../sandbox/temporaries.ts';

export type OutputLine = {
  /** For the command: its descriptors 1 and 2. To be closed here once it has them. */
  writer: Socket;
  /** Closes when nobody can write any more. */
  reader: Socket;
};

const bufferBytes = 65_536;

let loaded: Promise<typeof import('node:net')> | null = null;
let folder: Promise<string> | null = null;
let count = 0;

/** Nobody else can come in: the folder is this user's alone. It is made with the first line, and made anew if it is gone. */
function lineFolder(): Promise<string> {
  const made = folder ?? temporaryFolder('line');
  folder = made;
  made.catch(() => {
    if (folder === made) folder = null;
  });
  return made;
}

/**
 * `onOutput` gets what comes; the bytes are its own only until it returns. A pipe of `spawn` would make a new buffer of
 * 64 KB for each piece, and a gigabyte in small pieces would need half of that in memory before it is collected.
 */
export async function openOutputLine(onOutput: (chunk: Buffer) => void): Promise<OutputLine> {
  loaded ??= import('node:net');
  const net = await loaded;
  const place = await lineFolder();
  return connectLine(net, join(place, `${count++}`), onOutput).catch(() => {
    // Somebody has emptied the temporary folder.
    if (folder !== null) folder = null;
    return lineFolder().then((another) => connectLine(net, join(another, `${count++}`), onOutput));
  });
}

/** The name of the line is there only until both ends are connected. */
function connectLine(
  { connect, createServer }: typeof import('node:net'),
  path: string,
  onOutput: (chunk: Buffer) => void,
): Promise<OutputLine> {
  const server = createServer({ pauseOnConnect: true });
  return new Promise<OutputLine>((resolve, reject) => {
    const fail = (error: Error) => {
      server.close();
      reject(error);
    };
    server.on('error', reject);
    server.listen(path, () => {
      const callback = (length: number, bytes: Uint8Array) => {
        onOutput(Buffer.from(bytes.buffer, bytes.byteOffset, length));
        return true;
      };
      const reader = connect({ path, onread: { buffer: Buffer.allocUnsafe(bufferBytes), callback } });
      reader.on('error', fail);
      reader.on('end', () => reader.destroy());
      server.once('connection', (writer) => {
        server.close();
        writer.on('error', () => writer.destroy());
        resolve({ writer, reader });
      });
    });
  });
}
