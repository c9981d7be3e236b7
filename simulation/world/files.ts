/** Files on their way into a session. The engine's own way decodes them with native code, which no scheduler holds. */
import type { BlobStore } from '@pawl/engine';
import type { EffectContext } from '@pawl/engine/testing';
import type { FilePart } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';

type Attachments = EffectContext['ports']['attachments'];

/** Lets in whatever is there. */
export function createAttachments(blobs: BlobStore): Attachments {
  return {
    async attach(bytes) {
      return fileOf(await blobs.put(bytes), bytes);
    },
    async checkInput(files) {
      for (const { digest } of files) {
        if ((await blobs.get(digest)) === null) throw new PawlError('no_file', `There is no file ${digest}.`);
      }
    },
    async admitResult(files) {
      const isThere = await Promise.all(files.map(async ({ digest }) => (await blobs.get(digest)) !== null));
      return {
        files: files.filter((_, index) => isThere[index] === true),
        refused: files.flatMap(({ digest }, index) => (isThere[index] === true ? [] : [`[${digest} is lost]`])),
      };
    },
  };
}

export function fileOf(digest: string, bytes: Uint8Array): FilePart {
  return { type: 'file', mediaType: 'image/png', digest, sizeBytes: bytes.length };
}
