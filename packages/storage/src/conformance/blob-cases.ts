import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { BlobCase } from './case.ts';
import { created, fill, refuses, toolFinished } from './samples.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const digestOf = (bytes: Uint8Array): string => `sha256-${createHash('sha256').update(bytes).digest('hex')}`;

export const blobCases: BlobCase[] = [
  {
    name: 'a blob is found by the SHA-256 of its bytes, whatever they are',
    async check(log) {
      for (const bytes of [
        bytesOf('hello'),
        new Uint8Array(0),
        Uint8Array.of(0, 255, 0, 13, 10),
        randomBytes(3_000_000),
      ]) {
        const digest = await log.put(bytes);
        assert.equal(digest, digestOf(bytes));
        assert.deepEqual(Uint8Array.from((await log.get(digest)) ?? []), Uint8Array.from(bytes));
      }
      assert.equal(await log.get(digestOf(bytesOf('unknown'))), null);
      assert.equal(await log.get('not a digest'), null);
    },
  },
  {
    name: 'putting a blob again changes nothing',
    async check(log) {
      const digests = await Promise.all([log.put(bytesOf('same')), log.put(bytesOf('same')), log.put(bytesOf('same'))]);
      assert.equal(new Set(digests).size, 1);
    },
  },
  {
    name: 'changing bytes after giving or getting them does not change the blob',
    async check(log) {
      const given = bytesOf('original');
      const digest = await log.put(given);
      given.fill(0);
      const got = await log.get(digest);
      assert.deepEqual(Uint8Array.from(got ?? []), bytesOf('original'), 'Changing given bytes changed the blob.');
      got?.fill(0);
      assert.deepEqual(Uint8Array.from((await log.get(digest)) ?? []), bytesOf('original'));
    },
  },
  {
    name: 'deleting a session removes the blobs that only it names',
    async check(log) {
      const [own, shared, unnamed] = await Promise.all(
        ['own', 'shared', 'unnamed'].map((text) => log.put(bytesOf(text))),
      );
      assert.ok(own !== undefined && shared !== undefined && unnamed !== undefined);
      await fill(log, 'a', [created(), toolFinished(`see ${own} and ${shared}, ${own}`)]);
      await fill(log, 'b', [created({ metadata: { file: shared } })]);
      await log.delete('a');
      assert.equal(await log.get(own), null, 'A blob that only the deleted session named should be gone.');
      assert.notEqual(await log.get(shared), null, 'A blob that another session names must stay.');
      assert.notEqual(await log.get(unnamed), null, 'A blob that is about to be named must stay.');
      await log.delete('b');
      assert.equal(await log.get(shared), null);
    },
  },
  {
    name: 'a blob put again is kept for whoever put it, though the session that named it is deleted',
    async check(log) {
      const digest = await log.put(bytesOf('again'));
      await fill(log, 'a', [created(), toolFinished(digest)]);
      await log.put(bytesOf('again'));
      await log.delete('a');
      assert.notEqual(await log.get(digest), null);
    },
  },
  {
    name: 'a closed log takes no blobs',
    async check(log) {
      await log.close();
      await refuses(log.put(new Uint8Array(1)), 'log_unavailable', 'Putting a blob into a closed log');
    },
  },
];

export const reopenBlobCases: BlobCase[] = [
  {
    name: 'a blob is there after closing and opening again',
    async check(log, openAgain) {
      const digest = await log.put(bytesOf('kept'));
      await fill(log, 's', [created(), toolFinished(digest)]);
      await log.close();
      const again = await openAgain();
      assert.notEqual(await again.get(digest), null);
    },
  },
];
