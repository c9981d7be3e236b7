import type { State } from '../core/index.ts';
import type { BlobStore } from '../ports.ts';

type Bytes = Map<string, Uint8Array | null>;

/** Of each session that is driven here; a wire reads a file once, another model of a pool may read it again. */
const loaded = new WeakMap<Readonly<State>, Bytes>();

/** The bytes of the images and documents of a session's history, by digest; null for those that are lost. */
export async function filesOf(
  state: Readonly<State>,
  blobs: BlobStore,
): Promise<(digest: string) => Uint8Array | null> {
  const known = loaded.get(state) ?? new Map<string, Uint8Array | null>();
  loaded.set(state, known);
  for (const digest of state.attachments) if (!known.has(digest)) known.set(digest, await blobs.get(digest));
  return (digest) => known.get(digest) ?? null;
}
