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
  /** Questions come and go with the session's events, and with those of its tasks. */
  event(event: DurableEvent, from?: DeskSource): void;
  /** What was open before anybody looked. */
  add(open: { approvals: readonly PendingApproval[]; questions: readonly PendingQuestions[] }, from?: DeskSource): void;
  close(): void;
};

/** A task that asks: its name, and whom to answer. */
type DeskSource = { name: string; session: Answerable };
type Answerable = Pick<SessionClient, 'approve' | 'deny' | 'answer' | 'decline'>;

export type DeskOptions = {
  session: Answerable;
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
  const { identity, screen, onInterrupt } = options;
  const own = { name: '', session: options.session };
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

  const announce = ({ name }: DeskSource) => {
    if (name !== '') terminal.output.write(`${screen.style.dim(`Task ${oneLine(name)}:`)}\n`);
  };

  const putApproval = async (
    approval: PendingApproval,
    { signal, take, from }: { signal: AbortSignal; take: () => void; from: DeskSource },
  ): Promise<End> => {
    const { session } = from;
    announce(from);
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

  const putQuestions = async (
    asked: PendingQuestions,
    { signal, take, from }: { signal: AbortSignal; take: () => void; from: DeskSource },
  ): Promise<End> => {
    const { session } = from;
    announce(from);
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

  const addApproval = (approval: PendingApproval, from: DeskSource = own) => {
    const { tool, approvers } = approval;
    if (mayAnswer(identity, approvers)) {
      wait(`approval ${from.name} ${approval.call}`, (signal, take) => putApproval(approval, { signal, take, from }));
    } else {
      const who = oneLine(`${approvers?.group ?? ''} (${approvers?.members.join(', ') ?? ''})`);
      screen.line(screen.style.yellow(`? ${oneLine(tool)} waits for the approval of ${who}`));
    }
  };
  const addQuestions = (asked: PendingQuestions, from: DeskSource = own) =>
    wait(`questions ${from.name} ${asked.call}`, (signal, take) => putQuestions(asked, { signal, take, from }));

  return {
    add({ approvals, questions }, from = own) {
      for (const approval of approvals) addApproval(approval, from);
      for (const asked of questions) addQuestions(asked, from);
    },
    event(event, from = own) {
      if (event.type === 'approval.requested') addApproval(event.data, from);
      if (event.type === 'approval.resolved') settle(`approval ${from.name} ${event.data.call}`, event.data.decision);
      if (event.type === 'question.asked') addQuestions(event.data, from);
      if (event.type === 'question.answered') settle(`questions ${from.name} ${event.data.call}`, event.data.outcome);
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
