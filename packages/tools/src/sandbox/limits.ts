/** What a contained command may take of the machine. Each process is bound by itself, but for their number. */
import { totalmem } from 'node:os';

export type SandboxLimits = {
  /** Memory that one process may write to, bytes; default the machine's. Null: no limit, as with the others. */
  memory: number | null;
  /** Processes at the same time; default 4096. */
  processes: number | null;
  /** The size of one file, bytes; default 32 GB. */
  fileSize: number | null;
};

export const defaultLimits = (): SandboxLimits => ({
  memory: Math.max(totalmem(), 4_000_000_000),
  processes: 4096,
  fileSize: 32_000_000_000,
});

/**
 * A beginning for bash, which sets the limits of what it goes on to run. `-d` counts what can be written to, and not
 * what is only reserved, as `-v` would: Node, Go and Java reserve more than any machine has.
 */
export function limitWords({ memory, processes, fileSize }: SandboxLimits): string {
  const blocks = (bytes: number | null) => (bytes === null ? null : Math.ceil(bytes / 1024));
  const limits = [
    ['d', blocks(memory)],
    ['u', processes],
    ['f', blocks(fileSize)],
    ['c', 0],
  ] as const;
  const words = limits.flatMap(([letter, most]) => (most === null ? [] : [`ulimit -${letter} ${most};`]));
  return `{ ${words.join(' ')} } 2>/dev/null`;
}

const full = /file too large|EFBIG|SIGXFSZ/i;
const tooMany = /resource temporarily unavailable|EAGAIN|can(?:no|')t fork|fork: retry/i;
const noMemory = /cannot allocate memory|out of memory|ENOMEM|MemoryError|bad_alloc|memory exhausted/i;

/** Bash gives 128 and the number of the signal that ended a command; 25 is that of a file that grew too large. */
const endedBySize = 153;

/** That it may be a limit that stood in the way, where the output looks like it. */
export function limitNotes(
  limits: SandboxLimits,
  { exitCode, output }: { exitCode: number | null; output: string },
): string[] {
  const { memory, processes, fileSize } = limits;
  const said = [
    ...(fileSize !== null && (exitCode === endedBySize || full.test(output))
      ? [`files of ${inGigabytes(fileSize)}`]
      : []),
    ...(processes !== null && tooMany.test(output) ? [`${processes} processes`] : []),
    ...(memory !== null && noMemory.test(output) ? [`${inGigabytes(memory)} of memory for a process`] : []),
  ];
  if (said.length === 0) return [];
  return [
    `The sandbox allows at most ${said.join(', ')}; the user can change that with sandboxLimits in the settings.`,
  ];
}

const inGigabytes = (bytes: number) => `${Number((bytes / 1e9).toPrecision(3))} GB`;
