/** What stands at a path now, to be compared with what the log says was left there. */
import { lstat, readlink } from 'node:fs/promises';
import type { FormerEntry } from '@pawl/engine';
import { asFileFailure, systemCode } from '../../failures.ts';
import type { Place } from '../../paths.ts';
import { type FileBytes, readFileBytes } from '../regular-file.ts';

export type Standing =
  | { kind: 'nothing' }
  | { kind: 'file'; file: FileBytes }
  | { kind: 'link'; target: string }
  | { kind: 'folder'; mode: number }
  | { kind: 'other' };

/** @throws what the system says. */
export async function standingAt(place: Place, maxBytes: number): Promise<Standing> {
  try {
    const status = await lstat(place.path);
    if (status.isSymbolicLink()) return { kind: 'link', target: await readlink(place.path) };
    if (status.isDirectory()) return { kind: 'folder', mode: status.mode & 0o7777 };
    if (!status.isFile()) return { kind: 'other' };
    const file = await readFileBytes(place, maxBytes);
    return file === null ? { kind: 'nothing' } : { kind: 'file', file };
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return { kind: 'nothing' };
    throw asFileFailure(error, place.shown);
  }
}

/** Whether that is what the log means. The mode of a file does not count: edits leave it as it is. */
export function isSame(standing: Standing, entry: FormerEntry): boolean {
  if (entry === null) return standing.kind === 'nothing';
  switch (standing.kind) {
    case 'file':
      return entry.kind === 'file' && entry.digest === standing.file.digest;
    case 'link':
      return entry.kind === 'link' && entry.target === standing.target;
    case 'folder':
      return entry.kind === 'folder';
    case 'nothing':
    case 'other':
      return false;
    default:
      return standing satisfies never;
  }
}
