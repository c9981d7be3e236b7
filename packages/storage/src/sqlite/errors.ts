import { isPawlError, messageOf, PawlError } from '@pawl/protocol';

/** SQLite's primary result codes that a user can do something about. https://sqlite.org/rescode.html */
const codes = {
  perm: 3,
  busy: 5,
  locked: 6,
  readonly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cantOpen: 14,
  notDatabase: 26,
};

/** The primary result code of an error of node:sqlite, or null for any other error. */
function resultCode(error: unknown): number | null {
  if (typeof error !== 'object' || error === null || !('errcode' in error)) return null;
  return typeof error.errcode === 'number' ? error.errcode & 0xff : null;
}

/** Whether SQLite found the file's own structure damaged. */
export function isCorruption(error: unknown): boolean {
  const code = resultCode(error);
  return code === codes.corrupt || code === codes.notDatabase;
}

/** Whether somebody else holds the lock. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === codes.busy || code === codes.locked;
}

/** What the caller should know of anything thrown while the log was used: a PawlError as it is, else `log_unavailable`. */
export function toLogError(error: unknown, path: string): PawlError {
  if (isPawlError(error)) return error;
  return new PawlError('log_unavailable', adviceFor(error, path), { cause: error });
}

function adviceFor(error: unknown, path: string): string {
  switch (resultCode(error)) {
    case codes.full:
      return `The disk is full, so nothing was written to ${path}. Free some space and try again.`;
    case codes.io:
      return `The disk under ${path} reported an error (${messageOf(error)}). Check that it is connected, healthy and not full, then try again.`;
    case codes.perm:
    case codes.readonly:
    case codes.cantOpen:
      return `${path} cannot be opened or written (${messageOf(error)}). Check that it and its folder exist and belong to you.`;
    case codes.busy:
    case codes.locked:
      return `Another program kept ${path} locked. End it or wait for it, then try again.`;
    default:
      return `${path} could not be used (${messageOf(error)}). Check the disk and the file's permissions, then try again.`;
  }
}

/** That the file needs salvage and other programs stand in its way. */
export function damagedElsewhere(path: string): PawlError {
  return new PawlError(
    'log_unavailable',
    `${path} is damaged, and other programs have it open. End them and open it again: what is whole will then be saved.`,
  );
}
