/** Puts what a session asks (approvals, questions) to the person at the terminal, one at a time, and sends back the answers. */
import { oneLine } from '@pawl/engine/readers/visible';
import type { DurableEvent, Identity, PendingApproval, PendingQuestions, SessionClient } from '@pawl/protocol';
import { isPawlError, mayAnswer, messageOf } from '@pawl/protocol';
import type { Screen } from '../output/screen.ts';
import { askQuestions } from '../questions/ask.ts';
import type { Scope } from './ask.ts';
import { ask } from './ask.ts';
import type { AskTerminal } from './keys.ts';

export type Prompter = {
  /** Adds and settles requests as the events of the session say, and those of its tasks. */
  event(event: DurableEvent, from?: Asker): void;
  /** Adds requests that were open before the first event. */
  add(open: { approvals: readonly PendingApproval[]; questions: readonly PendingQuestions[] }, from?: Asker): void;
  close(): void;
};

/** Who asks: the session itself, with an empty name, or one of its tasks. */
type Asker = { name: string; session: Answerable };
type Answerable = Pick<SessionClient, 'approve' | 'deny' | 'answer' | 'decline'>;

export type PrompterOptions = {
  session: Answerable;
  /** Who sits at the terminal: approvals for a group that they are not in are left to others. */
  identity: Identity;
  terminal: Omit<AskTerminal, 'style'>;
  screen: Screen;
  onInterrupt(): void;
  /** Writes a rule into the settings of the project or the user, and applies it to this run. @throws with a sentence for the person. */
  keepRule(scope: Exclude<Scope, 'session'>, rule: string): Promise<void>;
};

/** An open request. `settled` aborts when it is settled elsewhere. */
type OpenRequest = { settled: AbortController; prompt: Prompt };
/**
 * Shows a request and waits for the person. Calls `answered` once they have answered, so that the event which follows
 * from their answer does not count as somebody else's. Resolves to whether it was settled elsewhere instead.
 */
type Prompt = (signal: AbortSignal, answered: () => void) => Promise<'answered' | 'withdrawn'>;

/** The open requests, in the order in which they came, and what is needed to prompt for them. */
type State = Omit<PrompterOptions, 'session' | 'terminal'> & {
  terminal: AskTerminal;
  open: Map<string, OpenRequest>;
  isPrompting: boolean;
  isClosed: boolean;
};

const withdrawals: Record<string, string> = {
  timeout: 'Nobody answered in time.',
  cancelled: 'The question was taken back.',
  allow: 'It was allowed elsewhere.',
  deny: 'It was denied elsewhere.',
  answered: 'It was answered elsewhere.',
  declined: 'It was declined elsewhere.',
  unattended: 'The question was taken back.',
};

export function openPrompter({ session, terminal, ...rest }: PrompterOptions): Prompter {
  const own: Asker = { name: '', session };
  const state: State = {
    ...rest,
    terminal: { ...terminal, style: rest.screen.style },
    open: new Map(),
    isPrompting: false,
    isClosed: false,
  };
  return {
    add({ approvals, questions }, from = own) {
      for (const approval of approvals) addApproval(state, approval, from);
      for (const asked of questions) addQuestions(state, asked, from);
    },
    event(event, from = own) {
      if (event.type === 'approval.requested') addApproval(state, event.data, from);
      if (event.type === 'approval.resolved') settle(state, approvalKey(event.data, from), event.data.decision);
      if (event.type === 'question.asked') addQuestions(state, event.data, from);
      if (event.type === 'question.answered') settle(state, questionsKey(event.data, from), event.data.outcome);
    },
    close() {
      state.isClosed = true;
      for (const { settled } of state.open.values()) settled.abort(withdrawals.cancelled);
      state.open.clear();
    },
  };
}

const approvalKey = ({ call }: { call: string }, { name }: Asker) => `approval ${name} ${call}`;
const questionsKey = ({ call }: { call: string }, { name }: Asker) => `questions ${name} ${call}`;

function addApproval(state: State, approval: PendingApproval, from: Asker): void {
  const { tool, approvers } = approval;
  const { screen, identity } = state;
  if (!mayAnswer(identity, approvers)) {
    const who = oneLine(`${approvers?.group ?? ''} (${approvers?.members.join(', ') ?? ''})`);
    screen.line(screen.style.yellow(`? ${oneLine(tool)} waits for the approval of ${who}`));
    return;
  }
  const prompt: Prompt = (signal, answered) => promptForApproval(state, approval, from, signal, answered);
  addRequest(state, approvalKey(approval, from), prompt);
}

function addQuestions(state: State, asked: PendingQuestions, from: Asker): void {
  const prompt: Prompt = (signal, answered) => promptForAnswers(state, asked, from, signal, answered);
  addRequest(state, questionsKey(asked, from), prompt);
}

function addRequest(state: State, key: string, prompt: Prompt): void {
  if (state.open.has(key)) return;
  state.open.set(key, { settled: new AbortController(), prompt });
  promptForAll(state).catch((error: unknown) => {
    const { screen, onInterrupt } = state;
    screen.line(screen.style.red(oneLine(messageOf(error))));
    onInterrupt();
  });
}

function settle({ open }: State, key: string, why: string): void {
  const request = open.get(key);
  open.delete(key);
  request?.settled.abort(withdrawals[why] ?? '');
}

/** Prompts for one open request after another, unless that is under way already. */
async function promptForAll(state: State): Promise<void> {
  const { open, screen } = state;
  if (state.isPrompting || state.isClosed) return;
  state.isPrompting = true;
  const release = screen.hold();
  try {
    for (let next = firstOf(open); next !== undefined && !state.isClosed; next = firstOf(open)) {
      const [key, { settled, prompt }] = next;
      const end = await prompt(settled.signal, () => open.delete(key)).catch((error: unknown) => {
        // Someone else may have been faster, or the settings could not be written: the person is told.
        if (!isPawlError(error)) throw error;
        warn(state, error.message);
        return null;
      });
      if (end === 'withdrawn') warn(state, String(settled.signal.reason));
    }
  } finally {
    state.isPrompting = false;
    release();
  }
}

async function promptForApproval(
  { terminal, keepRule, onInterrupt }: State,
  approval: PendingApproval,
  from: Asker,
  signal: AbortSignal,
  answered: () => void,
): ReturnType<Prompt> {
  const { session } = from;
  nameTask(terminal, from);
  const answer = await ask(approval, terminal, signal);
  // First the settings: a rule that could not be written must not seem to be.
  if (answer.kind === 'allow' && answer.added !== undefined && answer.added.scope !== 'session') {
    await keepRule(answer.added.scope, answer.added.rule);
  }
  answered();
  switch (answer.kind) {
    case 'allow': {
      const { input, added } = answer;
      await session.approve(approval.call, {
        ...(input !== undefined && { input }),
        ...(added?.scope === 'session' && { rules: [{ list: 'allow', rule: added.rule }] }),
      });
      return 'answered';
    }
    case 'deny':
      await session.deny(approval.call, answer.reason ?? undefined);
      return 'answered';
    case 'interrupt':
      onInterrupt();
      return 'answered';
    case 'withdrawn':
      return 'withdrawn';
    default:
      return answer satisfies never;
  }
}

async function promptForAnswers(
  { terminal, onInterrupt }: State,
  asked: PendingQuestions,
  from: Asker,
  signal: AbortSignal,
  answered: () => void,
): ReturnType<Prompt> {
  const { session } = from;
  nameTask(terminal, from);
  const reply = await askQuestions(asked, terminal, signal);
  answered();
  switch (reply.kind) {
    case 'answers':
      await session.answer(asked.call, reply.answers);
      return 'answered';
    case 'decline':
      await session.decline(asked.call, reply.reason ?? undefined);
      return 'answered';
    case 'interrupt':
      onInterrupt();
      return 'answered';
    case 'withdrawn':
      return 'withdrawn';
    default:
      return reply satisfies never;
  }
}

function nameTask({ output, style }: AskTerminal, { name }: Asker): void {
  if (name !== '') output.write(`${style.dim(`Task ${oneLine(name)}:`)}\n`);
}

function warn({ terminal: { output, style } }: State, problem: string): void {
  output.write(`${style.yellow(oneLine(problem))}\n`);
}

function firstOf(open: ReadonlyMap<string, OpenRequest>): [string, OpenRequest] | undefined {
  return open.entries().next().value;
}
