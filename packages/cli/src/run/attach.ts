/** Files that go with a prompt: read, and made fit for models, before anything is opened. */
import { open } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Host, Model } from '@pawl/engine';
import { limits, type PreparedFile, prepareFile } from '@pawl/engine/media';
import type { FilePart } from '@pawl/protocol';
import { isPawlError, messageOf } from '@pawl/protocol';
import { usageError } from '../usage-error.ts';

export type Attached = { name: string; file: PreparedFile };

/** Relative to the folder that the command runs in, where the shell completes names. @throws `usage`. */
export async function readAttachments(paths: readonly string[]): Promise<Attached[]> {
  const attached: Attached[] = [];
  for (const path of paths) attached.push(await readAttachment(resolve(path)));
  return attached;
}

async function readAttachment(path: string): Promise<Attached> {
  const bytes = await readBytes(path).catch((cause: unknown) => {
    throw isPawlError(cause) ? cause : usageError(`${flag}: ${path} cannot be read: ${reasonOf(cause)}.`, { cause });
  });
  const file = await prepareFile(bytes, path).catch((cause: unknown) => {
    throw isPawlError(cause) ? usageError(`${flag}: ${cause.message}`, { cause }) : cause;
  });
  return { name: basename(path), file };
}

async function readBytes(path: string): Promise<Uint8Array> {
  const handle = await open(path, 'r');
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw usageError(`${flag}: ${path} is not a file.`);
    const most = limits.rawImageBytes;
    if (status.size > most) throw usageError(`${flag}: ${path} has more than ${most / 1e6} MB. Make it smaller.`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Gives the files to a host; `warn` is told what became of them. */
export async function attachAll(
  host: Pick<Host, 'attach'>,
  attached: readonly Attached[],
  { id, info }: Pick<Model, 'id' | 'info'>,
  warn: (line: string) => void,
): Promise<FilePart[]> {
  const parts: FilePart[] = [];
  for (const { name, file } of attached) {
    if (file.isShrunk) warn(`${name}: ${file.summary}.`);
    if (info.inputTypes?.includes(file.mediaType) === false) {
      warn(
        `${id} takes no ${file.mediaType === 'application/pdf' ? 'PDF' : 'such image'}: of ${name} it sees the name only.`,
      );
    }
    parts.push(await host.attach(file.bytes, { name }));
  }
  return parts;
}

const flag = '-a/--attach';

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === 'ENOENT') return 'there is no such file';
  return code === 'EACCES' ? 'permission denied' : messageOf(error);
}
