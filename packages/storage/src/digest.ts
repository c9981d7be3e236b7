/** Names of blobs: `sha256-` and 64 hex digits. */

const pattern = /sha256-[0-9a-f]{64}/g;

/** node:crypto takes some 5 ms to load, so it is loaded by the first blob. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256-${process.getBuiltinModule('node:crypto').hash('sha256', bytes, 'hex')}`;
}

/** The blobs that a record speaks of, each once. */
export function digestsIn(body: string): readonly string[] {
  if (!body.includes('sha256-')) return none;
  return [...new Set(body.match(pattern))];
}

const none: readonly string[] = [];
