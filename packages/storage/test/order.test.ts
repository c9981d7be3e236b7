import { join } from 'node:path';
import type { Storage } from '@pawl/engine';
import { isPawlError } from '@pawl/protocol';
import { memoryLog, sqliteLog } from '@pawl/storage';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stages } from './events.ts';
import { temporaryFolder } from './helpers.ts';

/** One attempt to append: at the head moved by `offset`, of `count` events. */
const attempt = fc.record({
  session: fc.constantFrom('a', 'b', 'c'),
  offset: fc.constantFrom(0, 0, 0, -1, 1, -3),
  count: fc.integer({ min: 0, max: 4 }),
  handle: fc.nat(1),
});

const subjects: [string, () => Storage[]][] = [
  ['memoryLog', () => [memoryLog()]],
  [
    'sqliteLog, opened twice',
    () => {
      const path = join(temporaryFolder(), 'log.db');
      return [sqliteLog({ path }), sqliteLog({ path })];
    },
  ],
];

describe.each(subjects)('%s', (_, open) => {
  it('numbers each session 1, 2, 3… without gaps whatever is appended in whatever order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(attempt, { maxLength: 40 }), async (attempts) => {
        const logs = open();
        const heads: Record<string, number> = { a: 0, b: 0, c: 0 };
        const pending: { isRight: boolean; failure: Promise<unknown> }[] = [];
        const last: Record<string, Promise<unknown>> = {};
        for (const { session, offset, count, handle } of attempts) {
          // A session's appends follow one another, as one writer's do; those of different sessions do not wait.
          await last[session];
          const log = logs[handle % logs.length];
          const head = heads[session] ?? 0;
          const expected = Math.max(0, head + offset);
          const isRight = expected === head;
          if (isRight) heads[session] = head + count;
          const failure = Promise.resolve(log?.append(session, expected, stages(session, expected, count))).then(
            () => null,
            (error: unknown) => error,
          );
          last[session] = failure;
          pending.push({ isRight, failure });
        }
        for (const each of pending) {
          const { isRight } = each;
          const failure = await each.failure;
          if (isRight) expect(failure).toBe(null);
          else expect(isPawlError(failure, 'conflict')).toBe(true);
        }
        for (const log of logs)
          for (const [session, head] of Object.entries(heads)) {
            expect(await log.read(session)).toEqual(stages(session, 0, head));
            const middle = Math.floor(head / 2);
            expect(await log.read(session, middle)).toEqual(stages(session, middle, head - middle));
          }
        for (const log of logs) await log.close();
      }),
      { numRuns: 40 },
    );
  });
});
