/** Which of this process's descriptors a program would get that it starts. */
import { closeSync, openSync, readdirSync, readSync } from 'node:fs';
import { systemCode } from '../failures.ts';

/** Source: O_CLOEXEC in open(2), as `/proc/<pid>/fdinfo` shows it. */
const closesOnStart = 0o2000000;
const maxBytes = 256;

/**
 * Whether a program gets descriptors besides those that it is given: what this process itself got from whoever started
 * it. Where nobody can tell, it does.
 */
export function passesDescriptorsOn(): boolean {
  try {
    const buffer = Buffer.allocUnsafe(maxBytes);
    return readdirSync(folder).some((name) => Number(name) > 2 && isPassedOn(`${folder}/${name}`, buffer));
  } catch {
    // Only Linux says so.
    return true;
  }
}

const folder = '/proc/self/fdinfo';

function isPassedOn(path: string, buffer: Buffer): boolean {
  let descriptor: number;
  try {
    descriptor = openSync(path, 'r');
  } catch (error) {
    // It is the one that the folder was read with, or was closed meanwhile.
    if (systemCode(error) === 'ENOENT') return false;
    throw error;
  }
  try {
    const text = buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, maxBytes, 0));
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(text) ?? [];
    return flags === undefined || (Number.parseInt(flags, 8) & closesOnStart) === 0;
  } finally {
    closeSync(descriptor);
  }
}
