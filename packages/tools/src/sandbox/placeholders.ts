/** Marks on the host's disk for what is guarded and not there yet. They go with the last command that needs them. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { lstat, mkdir, readFile, rmdir, unlink, writeFile } from 'node:fs/promises';
import { isPawlError } from '@pawl/protocol';
import { fileFailure, systemCode } from '../failures.ts';
import type { Placeholder } from './places.ts';

/** Of those that this process has made: how many commands rely on each. */
const users = new Map<string, { count: number; placeholder: Placeholder; isOwn: boolean }>();
/** One after another, so that none is taken away while another command begins. */
let last: Promise<unknown> = Promise.resolve();

function inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
  const mine = last.then(work, work);
  last = mine.catch(() => undefined);
  return mine;
}

/** Makes them where nothing is; the returned function gives them back. @throws `no_permission`, `disk_full`… */
export function holdPlaceholders(placeholders: readonly Placeholder[]): Promise<() => Promise<void>> {
  if (placeholders.length === 0) return Promise.resolve(() => Promise.resolve());
  return inTurn(async () => {
    const held: Placeholder[] = [];
    const release = () => inTurn(() => giveBack(held));
    try {
      for (const placeholder of placeholders) {
        const known = users.get(placeholder.path);
        if (known === undefined) {
          users.set(placeholder.path, { count: 1, placeholder, isOwn: await make(placeholder) });
        } else {
          known.count += 1;
        }
        held.push(placeholder);
      }
      return release;
    } catch (error) {
      await giveBack(held);
      throw isPawlError(error) ? error : fileFailure(error, placeholders[held.length]?.path ?? '');
    }
  });
}

/** Whether it was not there. */
async function make(placeholder: Placeholder): Promise<boolean> {
  try {
    if (placeholder.kind === 'folder') await mkdir(placeholder.path);
    else await writeFile(placeholder.path, placeholder.content, { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

async function giveBack(held: readonly Placeholder[]): Promise<void> {
  const unused: Placeholder[] = [];
  for (const { path } of held) {
    const known = users.get(path);
    if (known === undefined) continue;
    known.count -= 1;
    if (known.count > 0) continue;
    users.delete(path);
    if (known.isOwn) unused.push(known.placeholder);
  }
  if (unused.length === 0) return;
  const mounted = mountPoints();
  // Taking it away would take another process's mount with it, and so what that one guards.
  for (const placeholder of unused) if (!mounted.has(placeholder.path)) await remove(placeholder);
}

/** What is no longer as it was made is somebody's, and stays. */
async function remove(placeholder: Placeholder): Promise<void> {
  try {
    if (placeholder.kind === 'folder') await rmdir(placeholder.path);
    else if (
      (await lstat(placeholder.path)).isFile() &&
      (await readFile(placeholder.path, 'utf8')) === placeholder.content
    )
      await unlink(placeholder.path);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'ENOTDIR', 'EEXIST', 'EACCES', 'EPERM'].includes(systemCode(error) ?? '')) throw error;
  }
}

/** Where something is mounted, for any process that can be looked at. Not waited for: it is read from memory. */
function mountPoints(): Set<string> {
  const points = new Set<string>();
  const seen = new Set<string>();
  const processes = orElse(() => readdirSync('/proc'), []).filter((name) => /^[0-9]+$/.test(name));
  for (const id of processes) {
    // Processes come and go, and others' are not ours to see.
    const space = orElse(() => readlinkSync(`/proc/${id}/ns/mnt`), null);
    if (space === null || seen.has(space)) continue;
    seen.add(space);
    const mounts = orElse(() => readFileSync(`/proc/${id}/mountinfo`, 'utf8'), '');
    for (const line of mounts.split('\n')) points.add(withoutEscapes(line.split(' ')[4] ?? ''));
  }
  return points;
}

function orElse<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html: blanks and backslashes stand in octal. */
const withoutEscapes = (path: string) =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
