import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { digestOf } from '../src/files/regular-file.ts';

/** All that is in a folder: contents, modes and times of files, so that a change of any shows. */
export function fingerprint(folder: string): { [path: string]: string } {
  const found: { [path: string]: string } = {};
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const name of names.sort((one, other) => (one < other ? -1 : 1))) {
    const path = join(folder, name);
    const status = lstatSync(path, { bigint: true });
    const content = status.isFile() ? digestOf(readFileSync(path)) : status.isSymbolicLink() ? readlinkSync(path) : '';
    found[name] = `${status.mode} ${status.isFile() ? status.mtimeNs : ''} ${content}`;
  }
  return found;
}
