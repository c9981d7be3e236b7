import { isPawlError, messageOf, PawlError } from '@pawl/protocol';

const meanings: { [code: string]: [code: string, sentence: string] } = {
  ENOENT: ['not_found', 'does not exist'],
  EACCES: ['no_permission', 'may not be accessed: permission denied'],
  EPERM: ['no_permission', 'may not be changed: operation not permitted'],
  EROFS: ['no_permission', 'lies on a read-only file system'],
  EISDIR: ['is_folder', 'is a folder, not a file'],
  ENOTDIR: ['not_folder', 'is not in a folder: some part of its path is a file'],
  ENOSPC: ['disk_full', 'could not be written: no space is left on the disk. Nothing was changed'],
  EDQUOT: ['disk_full', 'could not be written: the disk quota is used up. Nothing was changed'],
  EFBIG: ['disk_full', 'could not be written: it would be larger than this process may write. Nothing was changed'],
  EEXIST: ['exists', 'exists already'],
  ELOOP: ['bad_path', 'leads through symlinks in a circle'],
  ENAMETOOLONG: ['bad_path', 'has a name that is too long'],
  ENOTEMPTY: ['not_empty', 'is a folder that is not empty'],
  EBUSY: ['busy', 'is in use'],
  EMFILE: ['file_error', 'could not be opened: too many files are open. Try again'],
};

/** The code that the system gave an error, or null. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** What went wrong with a file, as a sentence that a model can act on. `path` as the model wrote it. */
export function fileFailure(error: unknown, path: string): PawlError {
  const [code, sentence] = meanings[systemCode(error) ?? ''] ?? ['file_error', `failed: ${messageOf(error)}`];
  return new PawlError(code, `${path} ${sentence}.`, { cause: error });
}

/** The same of an error that may be one of ours already. */
export const asFileFailure = (error: unknown, path: string) => (isPawlError(error) ? error : fileFailure(error, path));
