import { expect, it } from 'vitest';
import { createStreamReader } from '../src/wires/reader.ts';

it('a byte order mark before the first event is no part of it, however the bytes are split', () => {
  const bytes = Buffer.from('\ufeffdata: one\n\ndata: two\n\n');
  for (let split = 0; split <= bytes.length; split++) {
    const seen: string[] = [];
    const reader = createStreamReader({
      read: (data) => seen.push(data) === 2,
      readWhole: () => undefined,
      isThinking: () => false,
      isWhole: () => true,
      finish: () => {
        throw new Error('not asked for here');
      },
    });
    for (const chunk of [bytes.subarray(0, split), bytes.subarray(split)]) if (chunk.length > 0) reader.feed(chunk);
    expect(seen).toEqual(['one', 'two']);
  }
});
