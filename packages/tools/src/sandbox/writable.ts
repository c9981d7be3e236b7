/**
 * Folders that a command may change in one that it may not. A sandbox binds them by name, and another command that may
 * change all (a background process) can put a link in the place of one meanwhile, which leads out: so they are known by
 * their number, and held against it inside, before the command begins.
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync, realpathSync } from 'node:fs';

export type WritableFolder = { path: string; identity: string };

/** Null for what is no folder, or lies behind a link. */
export function writableFolder(path: string): WritableFolder | null {
  let descriptor: number | null = null;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const { dev, ino } = fstatSync(descriptor, { bigint: true });
    // Where what is open lies, and not what may have come into its place.
    const place =
      process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${descriptor}`) : realpathSync.native(path);
    return place === path ? { path, identity: `${dev}:${ino}` } : null;
  } catch {
    // It is not there, or not to be looked at.
    return null;
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** Each must be mounted at its own place, and be what it was. */
const check = `places=()
while read -r _ _ _ _ place _; do places+=("$place"); done </proc/self/mountinfo
for ((count = $1; count > 0; count--)); do
  isMounted=
  for place in "\${places[@]}"; do [[ $place == "$3" ]] && isMounted=yes; done
  if [[ -z $isMounted || $(/usr/bin/env stat -c %d:%i -- "$2") != "$4" ]]; then
    echo "$2 was moved while the sandbox was made, so nothing was run. Try again." >&2
    exit 126
  fi
  set -- "$1" "\${@:5}"
done
shift
exec "$@"`;

/** Stands in front of a command in bubblewrap. `-p`: nobody's settings of bash come before it. */
export function checkingWords(folders: readonly WritableFolder[]): string[] {
  const escaped = (path: string) =>
    path.replace(/[\\ \t\n]/g, (letter) => `\\${letter.charCodeAt(0).toString(8).padStart(3, '0')}`);
  const all = folders.flatMap(({ path, identity }) => [path, escaped(path), identity]);
  return ['/bin/bash', '-p', '-c', check, 'bash', `${folders.length}`, ...all];
}
