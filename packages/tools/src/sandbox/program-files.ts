/** The files that the kernel has to run for a command to run a program: the program itself and what loads it. */
import { accessSync, closeSync, constants, openSync, readSync, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isInside, readingCommands } from '@pawl/policy';

export type ProgramSearch = {
  /** As in the variable PATH. */
  path: string;
  /** A program in this folder is somebody's own, whatever its name says. */
  folder: string;
};

/** Canonical paths. A name that is not found, as of a builtin of the shell, needs none. */
export function programFiles(names: readonly string[], search: ProgramSearch): string[] {
  const files = names.flatMap((name) => filesOf(name, search));
  // A program that is a script is put together from others of its kind, as `egrep` is.
  const others = files.some(isScript) ? readingCommands().flatMap((name) => filesOf(name, search)) : [];
  return [...new Set([...files, ...others])];
}

function filesOf(name: string, { path, folder }: ProgramSearch): string[] {
  const places = name.startsWith('/')
    ? [name]
    : name.includes('/')
      ? []
      : path.split(delimiter).flatMap((each) => (isAbsolute(each) ? join(each, name) : []));
  for (const place of places) {
    const file = programAt(place);
    if (file !== null && !isInside(folder, file)) return withLoader(file);
  }
  return [];
}

function programAt(place: string): string | null {
  try {
    accessSync(place, constants.X_OK);
    return realpathSync.native(place);
  } catch {
    return null;
  }
}

/** An interpreter has an interpreter too, and that is a program of the machine. */
function withLoader(file: string): string[] {
  const loader = loaderOf(headOf(file));
  const found = loader === null || loader === file ? null : programAt(loader);
  return found === null ? [file] : [file, ...withLoader(found)];
}

const isScript = (file: string) => headOf(file).toString('latin1', 0, 2) === '#!';

/** The beginning of a program tells what loads it. */
const headBytes = 4096;
const heads = new Map<string, Buffer>();

function headOf(file: string): Buffer {
  const known = heads.get(file);
  if (known !== undefined) return known;
  const head = readHead(file);
  heads.set(file, head);
  return head;
}

function readHead(file: string): Buffer {
  const bytes = Buffer.alloc(headBytes);
  try {
    const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return bytes.subarray(0, readSync(descriptor, bytes, 0, headBytes, 0));
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // A program that may be run and not read: the kernel knows its loader, and runs none that is not allowed here.
    return Buffer.alloc(0);
  }
}

/** Source: elf(5) for 64 bits, the least significant byte first; PT_INTERP is 3. */
const interpreterSegment = 3;

/** The path of what loads a program that begins so; null for one that needs nothing. */
export function loaderOf(head: Buffer): string | null {
  const [, interpreter] = /^#![ \t]*([^\s]+)/.exec(head.toString('latin1', 0, 256)) ?? [];
  if (interpreter !== undefined) return interpreter;
  const isElf = head.length >= 64 && head.toString('latin1', 0, 6) === '\x7fELF\x02\x01';
  if (!isElf) return null;
  const [from, size, count] = [Number(head.readBigUInt64LE(32)), head.readUInt16LE(54), head.readUInt16LE(56)];
  for (let index = 0; index < count; index++) {
    const at = from + index * size;
    if (at + 40 > head.length) return null;
    if (head.readUInt32LE(at) !== interpreterSegment) continue;
    const start = Number(head.readBigUInt64LE(at + 8));
    const end = start + Number(head.readBigUInt64LE(at + 32));
    return end > head.length ? null : head.toString('utf8', start, end).replace(/\0.*$/s, '');
  }
  return null;
}
