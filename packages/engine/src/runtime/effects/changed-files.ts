/** Which of the files that a session knows have changed on disk. */
import { createHash } from 'node:crypto';
import type { EventData } from '@pawl/protocol';
import type { EffectContext } from './effect.ts';

type ChangedFiles = NonNullable<EventData['context.gathered']['changedFiles']>;

/** Files that are checked: those that were read or written last. */
const maxFiles = 20;

/** A file that cannot be read counts as unchanged. A version that the model was told about is not reported again. */
export async function changedFiles({ state, ports }: Pick<EffectContext, 'state' | 'ports'>): Promise<ChangedFiles> {
  const { files, foreignChanges } = state;
  const seen = [...files].slice(-maxFiles).map(([path, digest]) => {
    const isTold = foreignChanges.reportedVersions.has(path);
    return { path, known: digest, told: isTold ? foreignChanges.reportedVersions.get(path) : digest };
  });
  const found = await Promise.all(seen.map(async (file) => ({ ...file, digest: await digestAt(file.path, ports) })));
  return found
    .filter(({ digest, known, told }) => digest !== undefined && digest !== known && digest !== told)
    .map(({ path, digest = null }) => ({ path, digest }));
}

/** Null where no file is, undefined where it cannot be read. */
export async function digestAt(
  path: string,
  { readFile }: Pick<EffectContext['ports'], 'readFile'>,
): Promise<string | null | undefined> {
  try {
    return `sha256-${createHash('sha256')
      .update(await readFile(path))
      .digest('hex')}`;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? null : undefined;
  }
}
