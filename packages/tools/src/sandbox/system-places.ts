/**
 * Where the system keeps programs, what they load, and what they are set to: the same for all users, and without keys. Of
 * `/proc` only what is about the machine: a process's folder there tells its environment, with the keys that it holds.
 */
import { realpathSync } from 'node:fs';

const places = [
  '/bin',
  '/etc',
  '/lib',
  '/lib32',
  '/lib64',
  '/nix/store',
  '/opt',
  ...['cpuinfo', 'filesystems', 'loadavg', 'meminfo', 'stat', 'sys', 'uptime', 'version'].map(
    (name) => `/proc/${name}`,
  ),
  '/run/current-system',
  '/sbin',
  '/usr',
];

/** Canonical, and only those that are there. */
export function systemPlaces(): readonly string[] {
  found ??= [...new Set(places.flatMap(targetOf))];
  return found;
}

let found: readonly string[] | null = null;

function targetOf(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}
