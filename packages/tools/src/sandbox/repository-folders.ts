/** The folders of the repository that a session's folder is a part of, where it is not the repository itself. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';

/** Which folders belong to one repository changes hardly ever, and only adds to what is seen, ms. */
const servesMs = 3000;
const lastFound = new Map<string, { at: number; folders: Promise<readonly string[]> }>();

/** The rest of the repository that the folder is a part of: git reads it, wherever it lies. */
export function repositoryFolders(folder: string): Promise<readonly string[]> {
  const last = lastFound.get(folder);
  if (last !== undefined && performance.now() - last.at < servesMs) return last.folders;
  const folders = findFolders(folder);
  if (lastFound.size >= 100) lastFound.clear();
  lastFound.set(folder, { at: performance.now(), folders });
  return folders;
}

async function findFolders(folder: string): Promise<readonly string[]> {
  if (lstatSync(join(folder, '.git'), { throwIfNoEntry: false })?.isDirectory() === true) return [];
  const { findRepository } = await import('../repository/find.ts');
  const repository = await findRepository(folder).catch(() => null);
  return repository === null ? [] : [repository.top, repository.gitFolder, repository.commonFolder];
}
