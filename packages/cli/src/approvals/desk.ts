/** Takes what a session asks to the person at the terminal, one thing after another, and their answers back. */
import { oneLine } from '@pawl/engine/readers/visible';
import type { DurableEvent, Identity, PendingApproval, PendingQuestions, SessionClient } from '@pawl/protocol';
import { isPawlError, mayAnswer, messageOf } from '@pawl/protocol';
import type { Screen } from '../output/screen.ts';
import { askQuestions } from '../questions/ask.ts';
import type { Scope } from './ask.ts';
import { ask } from './ask.ts';
import type { AskTerminal } from './keys.ts';

export type Desk = {
  /** Questions come and go with the session's events. */
  event(event: DurableEvent): void;
  /** What was open before anybody looked. */
  add(open: { approvals: readonly PendingApproval[]; questions: readonly PendingQuestions[] }): void;
  close(): void;
};

export type DeskOptions = {
  session: Pick<SessionClient, 'approve' | 'deny' | 'answer' | 'decline'>;
  /** Who sits here: approvals for a group that they are not in go to others. */
  identity: Identity;
  terminal: Omit<AskTerminal, 'style'>;
  screen: Screen;
  onInterrupt(): void;
  /** Writes a rule into the settings of the project or the user, and lets it hold here. @throws with a sentence for the person. */
  keepRule(scope: Exclude<Scope, 'session'>, rule: string): Promise<void>;
};

/**
 * What waits for the person, and how to put it to them. `take` is called when they have answered: what is settled from
 * then on is settled by them. Resolves to whether they had a say at all.
 */
type Waiting = { settled: AbortController; put(signal: AbortSignal, take: () => void): Promise<End> };
type End = 'said' | 'withdrawn';

const withdrawals: Record<string, string> = {
  timeout: 'Nobody answered in time.',
  cancelled: 'The question was taken back.',
  allow: 'It was allowed elsewhere.',
  deny: 'It was denied elsewhere.',
  answered: 'It was answered elsewhere.',
  declined: 'It was declined elsewhere.',
  unattended: 'The question was taken back.',
};

export function openDesk(options: DeskOptions): Desk {
  const { session, identity, screen, onInterrupt } = options;
  const terminal = { ...options.terminal, style: screen.style };
  const waiting = new Map<string, Waiting>();
  let isAsking = false;
  let isClosed = false;

  const complain = (problem: string) => terminal.output.write(`${screen.style.yellow(oneLine(problem))}\n`);

  const work = async () => {
    if (isAsking || isClosed) return;
    isAsking = true;
    const release = screen.hold();
    try {
      for (let next = first(waiting); next !== undefined && !isClosed; next = first(waiting)) {
        const [key, { settled, put }] = next;
        const take = () => waiting.delete(key);
        const end = await put(settled.signal, take).catch((error: unknown) => {
          // Someone else may have been faster, or the settings could not be written: the person is told.
          if (!isPawlError(error)) throw error;
          complain(error.message);
          return null;
        });
        if (end === 'withdrawn') complain(String(settled.signal.reason));
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
  const wait = (key: string, put: Waiting['put']) => {
    if (waiting.has(key)) return;
    waiting.set(key, { settled: new AbortController(), put });
    begin();
  };
  const settle = (key: string, why: string) => {
    const open = waiting.get(key);
    waiting.delete(key);
    open?.settled.abort(withdrawals[why] ?? '');
  };

  const putApproval = async (approval: PendingApproval, signal: AbortSignal, take: () => void): Promise<End> => {
    const answer = await ask(approval, terminal, signal);
    switch (answer.kind) {
      case 'allow': {
        const { input, added } = answer;
        // First the settings: a rule that could not be written must not seem to be.
        if (added !== undefined && added.scope !== 'session') await options.keepRule(added.scope, added.rule);
        take();
        await session.approve(approval.call, {
          ...(input !== undefined && { input }),
          ...(added?.scope === 'session' && { rules: [{ list: 'allow', rule: added.rule }] }),
        });
        return 'said';
      }
      case 'deny':
        take();
        await session.deny(approval.call, answer.reason ?? undefined);
        return 'said';
      case 'interrupt':
        take();
        onInterrupt();
        return 'said';
      case 'withdrawn':
        take();
        return 'withdrawn';
      default:
        return answer satisfies never;
    }
  };

  const putQuestions = async (asked: PendingQuestions, signal: AbortSignal, take: () => void): Promise<End> => {
    const reply = await askQuestions(asked, terminal, signal);
    take();
    switch (reply.kind) {
      case 'answers':
        await session.answer(asked.call, reply.answers);
        return 'said';
      case 'decline':
        await session.decline(asked.call, reply.reason ?? undefined);
        return 'said';
      case 'interrupt':
        onInterrupt();
        return 'said';
      case 'withdrawn':
        return 'withdrawn';
      default:
        return reply satisfies never;
    }
  };

  const addApproval = (approval: PendingApproval) => {
    const { tool, approvers } = approval;
    if (mayAnswer(identity, approvers)) {
      wait(`approval ${approval.call}`, (signal, take) => putApproval(approval, signal, take));
    } else {
      const who = oneLine(`${approvers?.group ?? ''} (${approvers?.members.join(', ') ?? ''})`);
      screen.line(screen.style.yellow(`? ${oneLine(tool)} waits for the approval of ${who}`));
    }
  };
  const addQuestions = (asked: PendingQuestions) =>
    wait(`questions ${asked.call}`, (signal, take) => putQuestions(asked, signal, take));

  return {
    add({ approvals, questions }) {
      for (const approval of approvals) addApproval(approval);
      for (const asked of questions) addQuestions(asked);
    },
    event(event) {
      if (event.type === 'approval.requested') addApproval(event.data);
      if (event.type === 'approval.resolved') settle(`approval ${event.data.call}`, event.data.decision);
      if (event.type === 'question.asked') addQuestions(event.data);
      if (event.type === 'question.answered') settle(`questions ${event.data.call}`, event.data.outcome);
    },
    close() {
      isClosed = true;
      for (const { settled } of waiting.values()) settled.abort(withdrawals.cancelled);
      waiting.clear();
    },
  };
}

function first(waiting: ReadonlyMap<string, Waiting>): [string, Waiting] | undefined {
  return waiting.entries().next().value;
}
