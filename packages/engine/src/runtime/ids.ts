import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../ports.ts';

/** The time of this machine. Its timers never keep a process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  at(at, call) {
    // Node's timers hold 31 bits of milliseconds; a longer wait is taken in pieces.
    if (at <= Date.now()) {
      const immediate = setImmediate(call);
      immediate.unref();
      return () => clearImmediate(immediate);
    }
    let timer: NodeJS.Timeout;
    const wait = () => {
      const left = at - Date.now();
      timer = left > 2 ** 30 ? setTimeout(wait, 2 ** 30) : setTimeout(call, Math.max(0, left));
      timer.unref();
    };
    wait();
    return () => clearTimeout(timer);
  },
};

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Sortable by time and safe in file names: ten characters of milliseconds and twelve of chance (Crockford's base 32). */
export function createId(): string {
  let time = Date.now();
  let head = '';
  for (let index = 0; index < 10; index++) {
    head = alphabet.charAt(time % 32) + head;
    time = Math.floor(time / 32);
  }
  let tail = '';
  for (const byte of randomBytes(12)) tail += alphabet.charAt(byte % 32);
  return head + tail;
}

/** Fingerprint of a text: the first 128 bits of its SHA-256. */
export function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
