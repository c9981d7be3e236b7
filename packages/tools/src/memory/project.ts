import { lstat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The folder that stands for the project: the root of its repository, or the folder itself. */
export async function projectOf(cwd: string): Promise<string> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const isRoot = await lstat(join(folder, '.git')).then(
      () => true,
      () => false,
    );
    if (isRoot) return folder;
    if (dirname(folder) === folder) return cwd;
  }
}
