/** What is in a folder, to be deleted as a whole and put back as a whole. */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { FormerEntry, ToolScope } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import { asFileFailure } from '../failures.ts';
import { readFileBytes } from './regular-file.ts';

/** Entries of a folder beyond which it is not deleted in one call: nobody could judge such a list. */
const maxEntries = 1000;
/** What is kept of one deletion for undo. Bytes. */
const maxKeptBytes = 100_000_000;

/** `mark` changes whenever what stands there does. */
export type Entry = {
  path: string;
  kind: 'file' | 'folder' | 'link' | 'other';
  mode: number;
  sizeBytes: number;
  /** Of a link. */
  target: string;
  mark: string;
};

/** A thing and all that is in it, contents before their folder. @throws `not_empty`, `too_many`. */
export async function entriesIn(path: string, shown: string, options: { recursive: boolean }): Promise<Entry[]> {
  const entries: Entry[] = [];
  const visit = async (at: string): Promise<void> => {
    const entry = await entryAt(at);
    if (entry.kind === 'folder') {
      const names = await namesIn(at, shown);
      if (names.length > 0 && !options.recursive) {
        throw new PawlError(
          'not_empty',
          `${shown} is a folder with ${names.length} entries. Set recursive to delete it with all of them.`,
        );
      }
      for (const name of names.sort((one, other) => (one < other ? -1 : 1))) await visit(join(at, name));
    }
    entries.push(entry);
    if (entries.length > maxEntries) {
      throw new PawlError(
        'too_many',
        `${shown} holds more than ${maxEntries} files and folders. Delete its parts one by one, or use bash.`,
      );
    }
  };
  await visit(path).catch((error: unknown) => {
    throw asFileFailure(error, shown);
  });
  return entries;
}

/** @throws `bad_path` for a name that no text can say, since such a thing could be neither shown nor kept. */
async function namesIn(path: string, shown: string): Promise<string[]> {
  const names = await readdir(path, { encoding: 'buffer' });
  return names.map((name) => {
    if (isUtf8(name)) return name.toString('utf8');
    const sentence = `${shown} holds a name that is not valid UTF-8, ${JSON.stringify(name.toString('utf8'))}.`;
    throw new PawlError('bad_path', `${sentence} Nothing was deleted. Use bash for it.`);
  });
}

async function entryAt(path: string): Promise<Entry> {
  const status = await lstat(path);
  const kind = status.isDirectory() ? 'folder' : status.isSymbolicLink() ? 'link' : status.isFile() ? 'file' : 'other';
  const target = kind === 'link' ? await readlink(path) : '';
  const size = kind === 'folder' ? '' : `${status.size}:${status.mtimeMs}`;
  const mark = `${status.mode}\0${size}\0${target}`;
  return { path, kind, mode: status.mode & 0o7777, sizeBytes: status.size, target, mark };
}

/** Changes whenever one of the entries does; not with the name of the whole, which is the last of them. */
export function marksOf(entries: readonly Entry[]): string {
  const hash = createHash('sha256');
  const { path: root = '' } = entries.at(-1) ?? {};
  for (const { path, mark } of entries) hash.update(`${path.slice(root.length)}\0${mark}\0`);
  return `sha256-${hash.digest('hex')}`;
}

/** Files that are too large to be kept, each or together. */
export function unkeptOf(entries: readonly Entry[], maxFileBytes: number): Entry[] {
  let kept = 0;
  return entries.filter(({ kind, sizeBytes }) => {
    if (kind !== 'file') return kind === 'other';
    const isTooLarge = sizeBytes > maxFileBytes || kept + sizeBytes > maxKeptBytes;
    if (!isTooLarge) kept += sizeBytes;
    return isTooLarge;
  });
}

/** Puts contents into the blob store, one after another, and says what stood where. */
export async function keepEntries(
  entries: readonly Entry[],
  maxFileBytes: number,
  { blobs }: Pick<ToolScope, 'blobs'>,
): Promise<{ [path: string]: FormerEntry }> {
  const unkept = new Set(unkeptOf(entries, maxFileBytes));
  const formers: [string, FormerEntry][] = [];
  for (const entry of entries) formers.push([entry.path, unkept.has(entry) ? lost(entry) : await keep(entry)]);
  return Object.fromEntries(formers);

  async function keep({ path, kind, mode, target }: Entry): Promise<FormerEntry> {
    if (kind === 'folder') return { kind, mode };
    if (kind === 'link') return { kind, target };
    const file = await readFileBytes({ path, shown: path }, maxFileBytes);
    if (file === null) throw new PawlError('outdated', `${path} is gone. Nothing was deleted.`);
    await blobs.put(file.bytes);
    return { kind: 'file', digest: file.digest, mode };
  }
}

const lost = ({ kind, sizeBytes }: Entry): FormerEntry => ({
  kind: 'lost',
  reason: kind === 'file' ? `its ${(sizeBytes / 1e6).toFixed(1)} MB were too large to be kept` : 'it was no plain file',
});
