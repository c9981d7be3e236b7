/** Collects a stream of any length in memory of a fixed size: its beginning, and its end in a ring. */
export class OutputCollector {
  readonly #half: number;
  #head: Buffer = Buffer.alloc(0);
  #headBytes = 0;
  #ring: Buffer | null = null;
  #ringBytes = 0;
  #totalBytes = 0;

  constructor(limitBytes: number) {
    this.#half = Math.floor(limitBytes / 2);
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Bytes of the middle that are gone. */
  get omittedBytes(): number {
    return Math.max(0, this.#ringBytes - this.#half);
  }

  add(chunk: Buffer): void {
    this.#totalBytes += chunk.length;
    const forHead = Math.min(chunk.length, this.#half - this.#headBytes);
    if (forHead > 0) this.#addToHead(chunk.subarray(0, forHead));
    if (forHead < chunk.length) this.#addToRing(chunk.subarray(forHead));
  }

  /** One buffer that doubles: a million pieces of a byte each would be a hundred times their size as pieces. */
  #addToHead(bytes: Buffer): void {
    const length = this.#headBytes + bytes.length;
    if (length > this.#head.length) {
      const larger = Buffer.allocUnsafe(Math.min(this.#half, Math.max(2 * this.#head.length, length)));
      this.#head.copy(larger, 0, 0, this.#headBytes);
      this.#head = larger;
    }
    bytes.copy(this.#head, this.#headBytes);
    this.#headBytes = length;
  }

  #addToRing(bytes: Buffer): void {
    this.#ring ??= Buffer.allocUnsafe(this.#half);
    const last = bytes.subarray(Math.max(0, bytes.length - this.#half));
    const start = (this.#ringBytes + bytes.length - last.length) % this.#half;
    const fits = Math.min(last.length, this.#half - start);
    last.copy(this.#ring, start, 0, fits);
    last.copy(this.#ring, 0, fits);
    this.#ringBytes += bytes.length;
  }

  /** All that is kept, as text; invalid UTF-8 is replaced, and a marker counts what is missing. */
  text(): string {
    const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    const head = this.#head.subarray(0, this.#headBytes);
    const tail = this.#tail();
    if (this.omittedBytes === 0) return decode(Buffer.concat([head, tail]));
    const end = lastBlank(head);
    const start = firstBlank(tail);
    const omitted = this.omittedBytes + head.length - end + start;
    const rest = withoutBrokenStart(tail.subarray(start));
    return `${decode(head.subarray(0, end))}\n... [${omitted} bytes omitted] ...\n${decode(rest)}`;
  }

  #tail(): Buffer {
    const ring = this.#ring;
    if (ring === null) return Buffer.alloc(0);
    if (this.#ringBytes <= this.#half) return ring.subarray(0, this.#ringBytes);
    const start = this.#ringBytes % this.#half;
    return Buffer.concat([ring.subarray(start), ring.subarray(0, start)]);
  }
}

/** How long a word may be that is not cut in two: half of a key would not be known for one. */
const longestWord = 1024;
const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** Where the last white space begins, or the end where that is too far away. */
export function lastBlank(bytes: Uint8Array): number {
  for (let at = bytes.length; at > 0 && at > bytes.length - longestWord; at--)
    if (isBlank(bytes[at - 1])) return at - 1;
  return bytes.length;
}

/** Where the first white space begins, or 0 where that is too far away. */
export function firstBlank(bytes: Uint8Array): number {
  const found = bytes.subarray(0, longestWord).findIndex((byte) => isBlank(byte));
  return Math.max(0, found);
}

/** Without the rest of a character whose first byte was left out. */
function withoutBrokenStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
