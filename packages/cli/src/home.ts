/** Where Pawl keeps its data. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { messageOf, PawlError } from '@pawl/protocol';

/** `PAWL_HOME`; else `pawl` under `XDG_DATA_HOME`, which counts only if absolute; else `~/.local/share/pawl`. */
export function dataFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const { PAWL_HOME, XDG_DATA_HOME } = environment;
  if (PAWL_HOME) return resolve(PAWL_HOME);
  const data = XDG_DATA_HOME && isAbsolute(XDG_DATA_HOME) ? XDG_DATA_HOME : join(homedir(), '.local', 'share');
  return join(data, 'pawl');
}

/** The database of all sessions. Makes its folder. @throws `bad_home` when that cannot be written. */
export function databasePath(environment: NodeJS.ProcessEnv = process.env): string {
  const folder = dataFolder(environment);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new PawlError(
      'bad_home',
      `Pawl keeps its sessions in ${folder}, which cannot be written (${messageOf(cause)}). Make it writable, or set PAWL_HOME to another folder.`,
      { cause },
    );
  }
  return join(folder, 'pawl.db');
}
