import type { CacheTime } from '../options.ts';

/**
 * The field that ends what the provider should keep. It is no part of what the provider compares.
 * Source: https://platform.claude.com/docs/en/build-with-claude/prompt-caching.
 */
export function cacheMark(time: CacheTime): string {
  switch (time) {
    case 'off':
      return '';
    case '5m':
      return ',"cache_control":{"type":"ephemeral"}';
    case '1h':
      return ',"cache_control":{"type":"ephemeral","ttl":"1h"}';
    default:
      return time satisfies never;
  }
}

/** The conversation in pieces, with the mark inside the blocks that end at these offsets: before their closing brace. */
export function marked(bytes: Buffer, offsets: readonly number[], mark: string): Buffer[] {
  if (mark === '') return [bytes];
  const pieces: Buffer[] = [];
  const inserted = Buffer.from(mark);
  let start = 0;
  for (const offset of offsets) {
    pieces.push(bytes.subarray(start, offset - 1), inserted);
    start = offset - 1;
  }
  pieces.push(bytes.subarray(start));
  return pieces;
}
