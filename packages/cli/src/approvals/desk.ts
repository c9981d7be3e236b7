/** Takes open approvals to the person at the terminal, one after another, and their answers back. */
import { oneLine } from '@pawl/engine/readers/visible';
import type { DurableEvent, PendingApproval, SessionClient } from '@pawl/protocol';
import { isPawlError, messageOf } from '@pawl/protocol';
import type { Screen } from '../output/screen.ts';
import type { Answer, AskTerminal } from './ask.ts';
import { ask } from './ask.ts';

export type Desk = {
  /** Approvals come and go with the session's events. */
  event(event: DurableEvent): void;
  /** Approvals that were open before anybody looked. */
  add(approval: PendingApproval): void;
  close(): void;
};

type Waiting = { approval: PendingApproval; settled: AbortController };

const withdrawals: Record<string, string> = {
  timeout: 'Nobody answered in time.',
  cancelled: 'The question was taken back.',
  allow: 'It was allowed elsewhere.',
  deny: 'It was denied elsewhere.',
};

export function openDesk(
  session: Pick<SessionClient, 'approve' | 'deny'>,
  terminal: Omit<AskTerminal, 'style'>,
  screen: Screen,
  onInterrupt: () => void,
): Desk {
  const waiting = new Map<string, Waiting>();
  let isAsking = false;
  let isClosed = false;

  const work = async () => {
    if (isAsking || isClosed) return;
    isAsking = true;
    const release = screen.hold();
    try {
      for (let next = first(waiting); next !== undefined && !isClosed; next = first(waiting)) {
        const { approval, settled } = next;
        const answer = await ask(approval, { ...terminal, style: screen.style }, settled.signal);
        waiting.delete(approval.call);
        const problem = await deliver(session, approval, answer, onInterrupt);
        if (problem !== null) terminal.output.write(`${screen.style.yellow(problem)}\n`);
        if (answer.kind === 'withdrawn')
          terminal.output.write(`${screen.style.yellow(String(settled.signal.reason))}\n`);
      }
    } finally {
      isAsking = false;
      release();
    }
  };
  const begin = () => {
    work().catch((error: unknown) => {
      screen.line(screen.style.red(oneLine(messageOf(error))));
      onInterrupt();
    });
  };

  const add = (approval: PendingApproval) => {
    if (waiting.has(approval.call)) return;
    waiting.set(approval.call, { approval, settled: new AbortController() });
    begin();
  };
  return {
    add,
    event(event) {
      if (event.type === 'approval.requested') add(event.data);
      if (event.type !== 'approval.resolved') return;
      const open = waiting.get(event.data.call);
      waiting.delete(event.data.call);
      open?.settled.abort(withdrawals[event.data.decision] ?? '');
    },
    close() {
      isClosed = true;
      for (const { settled } of waiting.values()) settled.abort(withdrawals.cancelled);
      waiting.clear();
    },
  };
}

function first(waiting: ReadonlyMap<string, Waiting>): Waiting | undefined {
  return waiting.values().next().value;
}

/** What went wrong with the answer, for the person: someone else may have been faster. */
async function deliver(
  session: Pick<SessionClient, 'approve' | 'deny'>,
  { call }: PendingApproval,
  answer: Answer,
  onInterrupt: () => void,
): Promise<string | null> {
  try {
    switch (answer.kind) {
      case 'allow': {
        const { kind: _, ...given } = answer;
        await session.approve(call, given);
        return null;
      }
      case 'deny':
        await session.deny(call, answer.reason ?? undefined);
        return null;
      case 'interrupt':
        onInterrupt();
        return null;
      case 'withdrawn':
        return null;
      default:
        return answer satisfies never;
    }
  } catch (error) {
    if (isPawlError(error)) return oneLine(error.message);
    throw error;
  }
}
