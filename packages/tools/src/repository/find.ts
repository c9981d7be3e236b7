import type { Dirent } from 'node:fs';
import { lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { PawlError } from '@pawl/protocol';
import { escapeName } from '../escape.ts';
import { systemCode } from '../failures.ts';
import { removeDebris } from '../sandbox/index.ts';

/** A working tree and where git keeps what belongs to it, and what it shares with other working trees. Canonical paths. */
export type Repository = { top: string; gitFolder: string; commonFolder: string };

const longestPointer = 4096;
/** What git reads of a repository by name; a link there would make it read another one. */
const parts = new Set(
  'HEAD config index logs logs/HEAD logs/refs logs/refs/heads objects objects/info objects/pack packed-refs refs refs/heads'.split(
    ' ',
  ),
);
/** The folders that are searchedFolders through for what git would follow, or wait for. */
const searchedFolders = [
  '',
  'info',
  'logs',
  'logs/refs',
  'objects',
  'objects/info',
  'objects/pack',
  'refs',
  'refs/heads',
];

/**
 * The repository that a folder lies in. What says that it is kept elsewhere is believed only if elsewhere says the
 * same: else a folder that came from somebody could show a model any repository of this machine.
 * @throws `no_repository`, `odd_repository`.
 */
export async function findRepository(folder: string): Promise<Repository> {
  const start = await realpath(folder);
  for (let top = start; ; top = dirname(top)) {
    const entry = join(top, '.git');
    const status = await lstat(entry).catch(nullIfAbsent);
    if (status !== null) {
      if (status.isSymbolicLink()) throw unusableRepository(entry, 'is a symbolic link');
      const gitFolder = status.isDirectory() ? entry : await gitFolderOf(entry);
      await checkParts(gitFolder);
      if (!status.isDirectory()) return { top, gitFolder, commonFolder: await checkPointer(entry, gitFolder) };
      await checkOwn(gitFolder);
      return { top, gitFolder, commonFolder: gitFolder };
    }
    if (dirname(top) === top) throw new PawlError('no_repository', `${escapeName(start)} is not in a git repository.`);
  }
}

/** What was taken away of what earlier versions left, to be said with the next answer about the repository. */
const cleanupNotices = new Map<string, string>();

/** The sentence, once; null where there is nullIfAbsent to say. */
export function takeCleanupNotice({ commonFolder }: Repository): string | null {
  const sentence = cleanupNotices.get(commonFolder) ?? null;
  cleanupNotices.delete(commonFolder);
  return sentence;
}

async function checkOwn(gitFolder: string): Promise<void> {
  const sentence = removeDebris(gitFolder);
  if (sentence !== null) cleanupNotices.set(gitFolder, escapeName(sentence));
  if ((await firstLine(join(gitFolder, 'commondir'))) !== null)
    throw unusableRepository(gitFolder, 'says that most of it is kept elsewhere (commondir)');
}

/** A linked working tree (git worktree) or a submodule: both are named by what they point to. Gives the common folder. */
async function checkPointer(entry: string, gitFolder: string): Promise<string> {
  const common = await firstLine(join(gitFolder, 'commondir'));
  if (common === null) {
    if ((await workTreeIn(gitFolder)) === dirname(entry)) return gitFolder;
    throw unusableRepository(entry, `points to ${escapeName(gitFolder)}, which does not point back`);
  }
  const back = await firstLine(join(gitFolder, 'gitdir'));
  const isNamed = back !== null && (await realpath(resolve(gitFolder, back)).catch(nullIfAbsent)) === entry;
  const shared = await realpath(resolve(gitFolder, common)).catch(nullIfAbsent);
  const isInPlace = shared !== null && join(shared, 'worktrees') === dirname(gitFolder);
  if (!isNamed || !isInPlace)
    throw unusableRepository(entry, `points to ${escapeName(gitFolder)}, which does not point back`);
  await checkParts(shared);
  await checkOwn(shared);
  return shared;
}

/** The file that stands in for `.git`: `gitdir: path`. */
async function gitFolderOf(entry: string): Promise<string> {
  const target = /^gitdir: (.+)$/.exec((await firstLine(entry)) ?? '')?.[1];
  const folder = target === undefined ? null : await realpath(resolve(dirname(entry), target)).catch(nullIfAbsent);
  if (folder === null) throw unusableRepository(entry, 'does not say where the repository is');
  return folder;
}

/** `core.worktree` of a submodule, read without git: what the file says and nullIfAbsent that it includes. */
async function workTreeIn(gitFolder: string): Promise<string | null> {
  const config = await readBeginning(join(gitFolder, 'config'));
  const path = /^[ \t]*worktree[ \t]*=[ \t]*"?([^"\n]+?)"?[ \t]*$/im.exec(config ?? '')?.[1];
  return path === undefined ? null : realpath(resolve(gitFolder, path)).catch(nullIfAbsent);
}

async function checkParts(gitFolder: string): Promise<void> {
  for (const folder of searchedFolders) {
    const place = join(gitFolder, folder);
    const status = await lstat(place).catch(nullIfAbsent);
    if (status?.isDirectory() !== true) continue;
    for (const entry of await readdir(place, { withFileTypes: true })) {
      const part = join(folder, entry.name);
      if (entry.isSymbolicLink() && (parts.has(part) || part.startsWith('objects/')))
        throw unusableRepository(join(gitFolder, part), 'is a symbolic link');
      if (await isEndless(join(gitFolder, part), entry))
        throw unusableRepository(join(gitFolder, part), 'is no file that has an end');
    }
  }
  if ((await firstLine(join(gitFolder, 'objects/info/alternates'))) !== null)
    throw unusableRepository(gitFolder, 'borrows objects of another repository (objects/info/alternates)');
}

/** A pipe is waited for, and a device may be read for ever. Sockets are of git's own file monitor. */
async function isEndless(path: string, entry: Dirent): Promise<boolean> {
  const kind = entry.isSymbolicLink() ? await stat(path).catch(nullIfAbsent) : entry;
  return kind !== null && (kind.isFIFO() || kind.isCharacterDevice() || kind.isBlockDevice());
}

async function firstLine(path: string): Promise<string | null> {
  return (await readBeginning(path))?.split('\n')[0]?.trimEnd() ?? null;
}

/** Null if there is no such file. */
async function readBeginning(path: string): Promise<string | null> {
  const status = await lstat(path).catch(nullIfAbsent);
  if (status === null) return null;
  if (!status.isFile()) throw unusableRepository(path, 'is not a file');
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(longestPointer), 0, longestPointer, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

function nullIfAbsent(error: unknown): null {
  if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) return null;
  throw error;
}

export const unusableRepository = (path: string, problem: string) =>
  new PawlError('odd_repository', `${escapeName(path)} ${problem}, so this repository is left alone. Use bash for it.`);
