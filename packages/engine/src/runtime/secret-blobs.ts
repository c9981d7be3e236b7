/**
 * Large bodies with secrets in them are not written: as long as this process runs they are there, so that what was
 * changed can be undone; later they are lost, and undo says so.
 */
import { createHash } from 'node:crypto';
import type { BlobStore, Redactor } from '../ports.ts';

/** Bytes that are held at most; of more than that, the oldest are lost first. */
const maxHeld = 64_000_000;

export function withoutSecretBlobs(store: BlobStore, { keep }: Redactor): BlobStore {
  if (keep === undefined) return store;
  const held = new Map<string, Uint8Array>();
  let size = 0;
  return {
    async put(bytes) {
      // Every byte is a letter: secrets are ASCII, whatever stands around them.
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
