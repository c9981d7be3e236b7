import { closeSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { messageOf } from '@pawl/protocol';

/** A part of an output: which of its bytes, and how many before them are no longer there. */
export type LogPart = { bytes: Buffer; from: number; next: number; isLost: boolean };

/**
 * An output of any length in files of a fixed size: when one is full it takes the place of the one before. Bytes are
 * counted from the output's beginning.
 */
export class OutputLog {
  readonly path: string;
  readonly #half: number;
  #file: number;
  /** Where the current file begins, and the one before it. */
  #base = 0;
  #before: { file: number; base: number } | null = null;
  #total = 0;
  #problem: string | null = null;

  /** @throws when the file cannot be made. */
  constructor(path: string, maxBytes: number) {
    this.path = path;
    this.#half = Math.max(1, Math.floor(maxBytes / 2));
    this.#file = openSync(path, 'wx+', 0o600);
  }

  get totalBytes(): number {
    return this.#total;
  }

  /** Why nothing more is kept, or null. */
  get problem(): string | null {
    return this.#problem;
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && this.#problem === null; ) {
      try {
        if (this.#total - this.#base >= this.#half) this.#rotate();
        const length = Math.min(chunk.length - at, this.#half - (this.#total - this.#base));
        const written = writeSync(this.#file, chunk, at, length);
        at += written;
        this.#total += written;
      } catch (error) {
        this.#problem = messageOf(error);
      }
    }
  }

  /** At most `limit` bytes from `since` on; what is no longer there is left out. */
  read(since: number, limit: number): LogPart {
    const oldest = this.#before?.base ?? this.#base;
    const from = Math.min(Math.max(since, oldest), this.#total);
    const bytes = Buffer.alloc(Math.min(limit, this.#total - from));
    let filled = 0;
    for (const { file, base, end } of [
      ...(this.#before === null ? [] : [{ ...this.#before, end: this.#base }]),
      { file: this.#file, base: this.#base, end: this.#total },
    ]) {
      const start = from + filled;
      const length = Math.min(bytes.length - filled, end - start);
      if (start >= base && length > 0) filled += readSync(file, bytes, filled, length, start - base);
    }
    return { bytes: bytes.subarray(0, filled), from, next: from + filled, isLost: since < oldest };
  }

  close(): void {
    closeSync(this.#file);
    if (this.#before !== null) closeSync(this.#before.file);
  }

  #rotate(): void {
    const older = `${this.path}.1`;
    renameSync(this.path, older);
    const file = openSync(this.path, 'wx+', 0o600);
    if (this.#before !== null) closeSync(this.#before.file);
    this.#before = { file: this.#file, base: this.#base };
    this.#file = file;
    this.#base = this.#total;
  }
}
