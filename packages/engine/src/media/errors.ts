import { PawlError } from '@pawl/protocol';

/** Why a file cannot be given to a model, as a sentence about it. `name` is what people call it. */
export function fileRefusal(
  code: 'empty_file' | 'unknown_file_type' | 'damaged_file' | 'file_too_large',
  name: string,
  why: string,
  cause?: unknown,
): PawlError {
  return new PawlError(code, `${name} ${why}`, cause === undefined ? undefined : { cause });
}

/** For people: `3.8 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
