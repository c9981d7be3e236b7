/** Shows a session that another process drives, as if it were driven here. */
import type { LocalConnection } from '@pawl/client/local';
import type { Storage } from '@pawl/engine';
import type { SessionView } from '@pawl/protocol';
import { type ExitCode, exitCodes } from '../exit-codes.ts';
import { drive } from '../run/drive.ts';
import type { OutputFormat } from '../run/flags.ts';
import type { IsOver } from '../run/watch.ts';
import { asGuest, guestClient, readerOf } from './guest.ts';

type Follow = {
  log: Storage;
  owner: LocalConnection;
  session: string;
  /** The last event that is not to be shown. */
  fromSeq: number;
  format: OutputFormat;
  /** What to begin with; gives when it is over. */
  begin(): Promise<IsOver>;
};

/** How the following ended. `gone`: the driver is no more, though a turn is not over. */
export type Followed = { exitCode: ExitCode; end: 'over' | 'gone' };

export async function follow({ log, owner, session, fromSeq, format, begin }: Follow): Promise<Followed> {
  const client = guestClient(owner, log);
  const remote = asGuest(await owner.open(session), log);
  const exitCode = await drive({
    host: client,
    session: remote,
    fromSeq,
    begin,
    format,
    detail: { isVerbose: false, showsThinking: false },
    isAttended: process.stdin.isTTY === true && process.stderr.isTTY === true && owner.identity.kind === 'human',
    isGuest: true,
    identity: owner.identity,
    onFirstAnswer: () => undefined,
    onRuleKept: () => undefined,
  });
  const view = await readerOf(log).view(session);
  const isGone = view.turn !== null && (await log.owner?.(session)) === null;
  return isGone ? { exitCode: exitCodes.later, end: 'gone' } : { exitCode, end: 'over' };
}

/** The event before the last turn, or before the input that it began with. */
export function turnBegin(events: readonly { seq: number; type: string }[], view: SessionView): number {
  const started = events.findLast(({ type }) => type === 'turn.started');
  return started === undefined ? view.seq : started.seq - 1;
}
