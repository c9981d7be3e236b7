import type { SessionLog, Storage } from '@pawl/engine';
import { appendCases } from './append-cases.ts';
import { blobCases, reopenBlobCases } from './blob-cases.ts';
import { type ConformanceCase, type LogCase, within } from './case.ts';
import { listCases } from './list-cases.ts';
import { ownerCases } from './owner-cases.ts';
import { reopenCases } from './reopen-cases.ts';
import { watchCases } from './watch-cases.ts';

export type ConformanceOptions<Log extends SessionLog = Storage> = {
  /**
   * Opens what `log` stores once more, as another process would; `log` may still be open. With it the suite also
   * checks what two openings see of each other and what is left after closing.
   */
  openAgain?(log: Log): Log | Promise<Log>;
  /** How long a case may take before it has failed; default 20 000. */
  timeoutMs?: number;
};

/**
 * The cases that every log must pass, each on a new empty log of its own from `create`. `docs/durability.md` states them.
 * @example
 * for (const { name, run } of logConformance(() => myLog())) it(name, run);
 */
export function logConformance(
  create: () => Storage | Promise<Storage>,
  options?: ConformanceOptions & { hasBlobs?: true },
): ConformanceCase[];
/** For a log that keeps no blobs: the cases of blobs are left out. */
export function logConformance(
  create: () => SessionLog | Promise<SessionLog>,
  options: ConformanceOptions<SessionLog> & { hasBlobs: false },
): ConformanceCase[];
export function logConformance(
  create: () => SessionLog | Promise<SessionLog>,
  options: (ConformanceOptions | ConformanceOptions<SessionLog>) & { hasBlobs?: boolean } = {},
): ConformanceCase[] {
  const { hasBlobs = true, timeoutMs = 20_000 } = options;
  // The overloads see to it that a log is of the kind that `openAgain` opens, and has blobs where they are checked.
  const openAgain = options.openAgain as ConformanceOptions<SessionLog>['openAgain'];
  const blobs = (hasBlobs ? blobCases : []) as readonly LogCase[];
  const reopened = [...reopenCases, ...((hasBlobs ? reopenBlobCases : []) as readonly LogCase[])];
  const cases = [
    ...[...appendCases, ...listCases, ...ownerCases, ...watchCases, ...blobs],
    ...(openAgain === undefined ? [] : reopened),
  ];
  return cases.map(({ name, check }) => ({
    name,
    async run() {
      const log = await create();
      const opened = [log];
      const again = async (): Promise<SessionLog> => {
        if (openAgain === undefined) throw new Error('This case needs openAgain.');
        const other = await openAgain(log);
        opened.push(other);
        return other;
      };
      try {
        await within(timeoutMs, name, check(log, again));
      } finally {
        // A log that hangs must not hang its closing too.
        for (const each of opened) await within(timeoutMs, `closing after “${name}”`, each.close());
      }
    },
  }));
}
