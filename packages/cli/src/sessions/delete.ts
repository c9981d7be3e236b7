import type { SessionLog, SessionSummary } from '@pawl/engine';
import { oneLine } from '@pawl/engine/readers/visible';
import { PawlError } from '@pawl/protocol';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { printNotice } from '../output/notice.ts';
import { usageError } from '../usage-error.ts';
import { findSession } from './find.ts';
import { withLog } from './open.ts';

/** `pawl sessions delete`: all of them are found before any is deleted. @throws `session_locked`. */
export async function deleteSessions(named: readonly string[], { yes }: { yes?: true }): Promise<ExitCode> {
  return withLog(async (log) => {
    const found = new Map<string, SessionSummary>();
    for (const name of named) {
      const summary = await findSession(log, name);
      found.set(summary.session, summary);
    }
    // Its tasks go with a session; the one that asked for them last of all, so that none is left alone.
    const all = [...found.values(), ...(await tasksOf(log, [...found.keys()]))];
    const ids = [...new Set(all.map(({ session }) => session))].sort((one, other) => other.length - one.length);
    for (const session of ids) await refuseDriven(log, session);
    if (yes !== true && !(await isConfirmed(all))) {
      printNotice('Nothing was deleted.');
      return exitCodes.cancelled;
    }
    for (const session of ids) {
      await log.delete(session);
      printNotice(`Deleted ${session}.`);
    }
    return exitCodes.completed;
  });
}

/** @throws `session_locked`, before anything is deleted. */
async function refuseDriven(log: SessionLog, session: string): Promise<void> {
  const owner = (await log.owner?.(session)) ?? null;
  if (owner === null) return;
  throw new PawlError(
    'session_locked',
    `Session ${session} is driven by process ${owner.pid}, and nothing was deleted. Stop it first: pawl cancel ${session}`,
  );
}

async function tasksOf(log: SessionLog, owners: readonly string[]): Promise<SessionSummary[]> {
  const sessions = await log.list({ limit: Number.MAX_SAFE_INTEGER });
  return sessions.filter(({ session }) => owners.some((owner) => session.startsWith(`${owner}.`)));
}

async function isConfirmed(sessions: readonly SessionSummary[]): Promise<boolean> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY || !stderr.isTTY) {
    throw usageError('Deleting is for ever, and nobody is there to be asked. Say --yes.');
  }
  for (const { session, firstMessage } of sessions) stderr.write(`  ${session}  ${oneLine(firstMessage)}\n`);
  const { askLine } = await import('../approvals/keyboard.ts');
  const count = sessions.length === 1 ? 'this session' : `these ${sessions.length} sessions`;
  const signal = new AbortController().signal;
  const line = await askLine(stdin, stderr, `Delete ${count} for ever? (y/N) `, { signal });
  return line.kind === 'line' && /^y(?:es)?$/i.test(line.text.trim());
}
