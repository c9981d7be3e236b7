/**
 * Keeps blobs that hold secrets in memory only, so that changes can be undone while this process runs. Afterwards they
 * are lost, and undo says so.
 */
import { createHash } from 'node:crypto';
import type { BlobStore, Redactor } from '../ports.ts';

/** Bytes that are held at most; the oldest blobs are dropped first. */
const maxHeld = 64_000_000;

export function withoutSecretBlobs(store: BlobStore, { keep }: Redactor): BlobStore {
  if (keep === undefined) return store;
  const held = new Map<string, Uint8Array>();
  let size = 0;
  return {
    async put(bytes) {
      // One character for each byte: secrets are ASCII, whatever surrounds them.
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
      if (keep(text) === text) return store.put(bytes);
      const digest = `sha256-${createHash('sha256').update(bytes).digest('hex')}`;
      if (held.has(digest)) return digest;
      held.set(digest, Uint8Array.from(bytes));
      size += bytes.length;
      for (const [oldest, { length }] of held) {
        if (size <= maxHeld || oldest === digest) break;
        held.delete(oldest);
        size -= length;
      }
      return digest;
    },
    get: async (digest) => held.get(digest) ?? store.get(digest),
  };
}
