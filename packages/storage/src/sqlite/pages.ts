/**
 * The rows of a SQLite file that may be damaged anywhere, read page by page without trust in its trees.
 * The format: https://sqlite.org/fileformat2.html. What is read here must prove itself by a checksum.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

export type Value = null | number | bigint | string | Uint8Array;

const leafOfTable = 0x0d;
const headerText = 'SQLite format 3\0';

type Pages = { size: number; count: number; page(number: number): Buffer | null };

/** Every row found in a leaf of any table, in the order of pages. A damaged row is left out. */
export function* rowsIn(path: string): Generator<Value[], void, void> {
  const log = readWal(`${path}-wal`);
  const file = openSync(path, 'r');
  try {
    const pages = openPages(file, log);
    for (let number = 1; number <= pages.count; number++) {
      const page = pages.page(number);
      if (page !== null) yield* rowsOnPage(pages, page, number === 1 ? 100 : 0);
    }
  } finally {
    closeSync(file);
  }
}

/** Whether the file begins as a SQLite database does, or with nothing but zeros. */
export function looksLikeDatabase(path: string): boolean {
  const head = readAt(path, 0, 16);
  return head.toString('latin1') === headerText || head.every((byte) => byte === 0);
}

function readAt(path: string, position: number, length: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(file, buffer, 0, length, position));
  } finally {
    closeSync(file);
  }
}

function openPages(file: number, log: Wal | null): Pages {
  const bytes = fstatSync(file).size;
  const head = Buffer.alloc(100);
  readSync(file, head, 0, 100, 0);
  const size =
    log?.pageSize ?? (head.toString('latin1', 0, 16) === headerText ? pageSizeOf(head.readUInt16BE(16)) : 4096);
  const inFile = Math.ceil(bytes / size);
  return {
    size,
    count: Math.max(inFile, ...(log?.pages.keys() ?? [])),
    page(number) {
      const logged = log?.pages.get(number);
      if (logged !== undefined) return logged;
      if (number < 1 || number > inFile) return null;
      const buffer = Buffer.alloc(size);
      readSync(file, buffer, 0, size, (number - 1) * size);
      return buffer;
    },
  };
}

const pageSizeOf = (stored: number): number => (stored === 1 ? 65536 : stored >= 512 ? stored : 4096);

type Wal = { pageSize: number; pages: Map<number, Buffer> };

/** The pages that committed transactions left in the write-ahead log; null when there are none. */
function readWal(path: string): Wal | null {
  if (!existsSync(path)) return null;
  const head = readAt(path, 0, 32);
  if (head.length < 32 || head.readUInt32BE(0) >>> 1 !== 0x377f0682 >>> 1) return null;
  const pageSize = pageSizeOf(head.readUInt32BE(8) % 65536 || 1);
  const file = openSync(path, 'r');
  try {
    const pages = new Map<number, Buffer>();
    let uncommitted: [number, Buffer][] = [];
    for (let position = 32; ; position += 24 + pageSize) {
      const frame = Buffer.alloc(24 + pageSize);
      if (readSync(file, frame, 0, frame.length, position) < frame.length) break;
      // The salts of a frame that an earlier round left behind are not those of the header.
      if (frame.compare(head, 16, 24, 8, 16) !== 0) break;
      uncommitted.push([frame.readUInt32BE(0), frame.subarray(24)]);
      if (frame.readUInt32BE(4) === 0) continue;
      for (const [number, page] of uncommitted) pages.set(number, page);
      uncommitted = [];
    }
    return pages.size === 0 ? null : { pageSize, pages };
  } finally {
    closeSync(file);
  }
}

function* rowsOnPage(pages: Pages, page: Buffer, start: number): Generator<Value[], void, void> {
  if (page[start] !== leafOfTable) return;
  const cells = Math.min(page.readUInt16BE(start + 3), Math.floor((pages.size - start - 8) / 2));
  for (let cell = 0; cell < cells; cell++) {
    const row = attempt(() => readCell(pages, page, page.readUInt16BE(start + 8 + 2 * cell)));
    if (row !== null) yield row;
  }
}

/** Null for what cannot be read: in a damaged file any number may lead anywhere. */
function attempt<Result>(read: () => Result): Result | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function readCell(pages: Pages, page: Buffer, offset: number): Value[] {
  const length = varint(page, offset);
  const key = varint(page, length.next);
  if (length.value < 1 || length.value > pages.count * pages.size) throw new RangeError('No payload is that long.');
  const usable = pages.size;
  const most = usable - 35;
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const wanted = least + ((length.value - least) % (usable - 4));
  const local = length.value <= most ? length.value : wanted <= most ? wanted : least;
  const first = slice(page, key.next, local);
  const parts = [first];
  let left = length.value - local;
  let next = left > 0 ? page.readUInt32BE(key.next + local) : 0;
  while (left > 0) {
    const overflow = pages.page(next);
    if (overflow === null) throw new RangeError('A page is missing.');
    const part = slice(overflow, 4, Math.min(left, usable - 4));
    parts.push(part);
    left -= part.length;
    next = overflow.readUInt32BE(0);
  }
  return decodeRow(parts.length === 1 ? first : Buffer.concat(parts));
}

function decodeRow(payload: Buffer): Value[] {
  const header = varint(payload, 0);
  if (header.value > payload.length) throw new RangeError('The header is longer than the row.');
  const values: Value[] = [];
  let at = header.next;
  let body = header.value;
  while (at < header.value) {
    const type = varint(payload, at);
    const length = lengthOf(type.value);
    values.push(decodeValue(type.value, slice(payload, body, length)));
    at = type.next;
    body += length;
  }
  return values;
}

const integerLengths = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];
const lengthOf = (type: number): number => integerLengths[type] ?? Math.floor((type - 12) / 2);

function decodeValue(type: number, bytes: Buffer): Value {
  switch (type) {
    case 0:
      return null;
    case 6:
      return bytes.readBigInt64BE();
    case 7:
      return bytes.readDoubleBE();
    case 8:
      return 0;
    case 9:
      return 1;
    default:
      if (type < 12) return bytes.readIntBE(0, bytes.length);
      return type % 2 === 0 ? bytes : bytes.toString('utf8');
  }
}

function slice(bytes: Buffer, start: number, length: number): Buffer {
  if (length < 0 || start + length > bytes.length) throw new RangeError('It ends beyond its page.');
  return bytes.subarray(start, start + length);
}

function varint(bytes: Buffer, start: number): { value: number; next: number } {
  let value = 0;
  for (let index = 0; index < 9; index++) {
    const byte = bytes.readUInt8(start + index);
    if (index === 8) return { value: value * 256 + byte, next: start + 9 };
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, next: start + index + 1 };
  }
  throw new RangeError('A number does not end.');
}
