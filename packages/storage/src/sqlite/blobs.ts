import type { DatabaseSync } from 'node:sqlite';
import type { BlobStore } from '@pawl/engine';
import { digestOf } from '../digest.ts';
import { rowOf, rowsOf, transaction } from './connection.ts';

export type Blobs = {
  put(...parameters: Parameters<BlobStore['put']>): string;
  get(digest: string): Uint8Array | null;
  /** Drops a session's references, and the blobs that nobody else needs. Runs inside the caller's transaction. */
  release(number: number): void;
};

/** A blob put and not yet named by an event is somebody's work; after this time, whoever put it has died. */
const pendingMs = 24 * 3_600_000;

export function createBlobs(database: DatabaseSync): Blobs {
  const selectDigest = database.prepare('SELECT 1 FROM blobs WHERE digest = ?');
  const insert = database.prepare('INSERT OR IGNORE INTO blobs (digest, bytes) VALUES (?, ?)');
  const insertPending = database.prepare('INSERT OR REPLACE INTO blobs_pending (digest, put_at) VALUES (?, ?)');
  const select = database.prepare('SELECT bytes FROM blobs WHERE digest = ?');
  const selectForgotten = database.prepare('SELECT digest FROM blobs_pending WHERE put_at < ?');
  const deleteForgotten = database.prepare('DELETE FROM blobs_pending WHERE put_at < ?');
  const deleteUnneeded = database.prepare(
    `DELETE FROM blobs WHERE digest = ?1
     AND NOT EXISTS (SELECT 1 FROM blob_references WHERE digest = ?1)
     AND NOT EXISTS (SELECT 1 FROM blobs_pending WHERE digest = ?1)`,
  );

  /** Drops what was put long ago and named by nobody. */
  function sweep(): void {
    const before = Date.now() - pendingMs;
    const digests = rowsOf<{ digest: string }>(selectForgotten, before);
    if (digests.length === 0) return;
    deleteForgotten.run(before);
    for (const { digest } of digests) deleteUnneeded.run(digest);
  }

  return {
    put(bytes) {
      const digest = digestOf(bytes);
      transaction(database, () => {
        sweep();
        if (selectDigest.get(digest) === undefined) insert.run(digest, bytes);
        insertPending.run(digest, Date.now());
      });
      return digest;
    },
    get: (digest) => rowOf<{ bytes: Uint8Array }>(select, digest)?.bytes ?? null,
    release(number) {
      const selectOwn = database.prepare('SELECT digest FROM blob_references WHERE number = ?');
      const digests = rowsOf<{ digest: string }>(selectOwn, number);
      database.prepare('DELETE FROM blob_references WHERE number = ?').run(number);
      for (const { digest } of digests) deleteUnneeded.run(digest);
      sweep();
    },
  };
}
