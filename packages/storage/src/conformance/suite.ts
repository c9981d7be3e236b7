import type { Storage } from '@pawl/engine';
import { appendCases } from './append-cases.ts';
import { blobCases } from './blob-cases.ts';
import { listCases } from './list-cases.ts';
import { ownerCases } from './owner-cases.ts';
import { reopenCases } from './reopen-cases.ts';
import { watchCases } from './watch-cases.ts';

/** `run` throws an `AssertionError` that says what the log should have done. */
export type ConformanceCase = { name: string; run(): Promise<void> };

export type ConformanceOptions = {
  /**
   * Opens what `log` stores once more, as another process would; `log` may still be open. With it the suite also
   * checks what two openings see of each other and what is left after closing.
   */
  openAgain?(log: Storage): Storage | Promise<Storage>;
};

/** A case before it is given its log. The runner closes what `create` and `openAgain` made. */
export type LogCase = { name: string; check(log: Storage): Promise<void> };
export type ReopenCase = { name: string; check(log: Storage, openAgain: () => Promise<Storage>): Promise<void> };

/** The cases that every log must pass, each on a new empty log of its own from `create`. */
export function logConformance(
  create: () => Storage | Promise<Storage>,
  options: ConformanceOptions = {},
): ConformanceCase[] {
  const { openAgain } = options;
  const cases: ReopenCase[] = [...appendCases, ...listCases, ...ownerCases, ...watchCases, ...blobCases];
  if (openAgain !== undefined) cases.push(...reopenCases);
  return cases.map(({ name, check }) => ({
    name,
    async run() {
      const log = await create();
      const opened = [log];
      const again = async (): Promise<Storage> => {
        if (openAgain === undefined) throw new Error('This case needs openAgain.');
        const other = await openAgain(log);
        opened.push(other);
        return other;
      };
      try {
        await check(log, again);
      } finally {
        for (const each of opened) await each.close();
      }
    },
  }));
}
