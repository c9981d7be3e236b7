/** Commands as clients send them, and what they may be told. A client whose answer was lost sends the same again. */
import type { CommandInput, CommandType, Identity, PawlEvent } from '@pawl/protocol';
import { isPawlError, messageOf } from '@pawl/protocol';
import type { Book } from '../checks/book.ts';
import type { Violate } from '../checks/invariants.ts';
import type { Machine } from './machine.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';

export const humans: readonly Identity[] = [
  { kind: 'human', id: 'ann' },
  { kind: 'human', id: 'bob' },
];
export const agent: Identity = { kind: 'agent', id: 'bot' };

export type Sent = {
  id: string;
  session: string;
  by: Identity;
  type: CommandType;
  data: CommandInput[CommandType];
  machine: Machine;
  /** What its sender was told: `accepted`, or the code of a refusal or trouble; null before. */
  answer: string | null;
};

/** An input whose turn somebody waits for. */
type Waiting = { session: string; input: string; text: string; machine: Machine; isOver: boolean };

/** Refusals that tell a client what to do; with them nothing was done. */
const refusals = new Set([
  'unknown_agent',
  'busy',
  'input_taken',
  'empty_input',
  'nothing_to_continue',
  'nothing_to_retry',
  'no_turn',
  'already_cancelled',
  'already_paused',
  'not_paused',
  'price_unknown',
  'human_only',
  'no_rule',
  'already_answered',
  'no_question',
  'bad_answer',
  'no_approval',
  'no_review',
  'command_id_reused',
  'no_message',
  'already_compacting',
  'nothing_to_compact',
  'no_compaction',
  'budget',
  'no_file',
  'turn_runs',
  'bad_mail',
  'no_mail',
  'already_acknowledged',
]);
/** What the machine or the disk did. The command may have counted all the same. */
const troubles = new Set([
  'session_locked',
  'session_lost',
  'session_closed',
  'conflict',
  'log_unavailable',
  'host_closed',
  'no_session',
]);

export type Clients = {
  readonly sent: readonly Sent[];
  readonly waiting: readonly Waiting[];
  command<Type extends CommandType>(
    machine: Machine,
    session: string,
    by: Identity,
    type: Type,
    data: CommandInput[Type],
    id?: string,
  ): Sent;
  /** Sends an input and follows its events until its turn has ended. */
  follow(machine: Machine, session: string, by: Identity, text: string, id?: string): void;
  /** Sends a command again that was sent before, as it was. */
  repeat(sent: Sent, machine: Machine): void;
  checkError(error: unknown, what: string): void;
};

export function createClients(world: {
  scheduler: Scheduler;
  random: Random;
  violate: Violate;
  book(session: string): Book;
}): Clients {
  const { violate } = world;
  const sent: Sent[] = [];
  const waiting: Waiting[] = [];
  const receipts = new Map<string, { seq: number; content: string }>();
  let ids = 0;

  const checkError = (error: unknown, what: string): void => {
    const isExpected = isPawlError(error) && (refusals.has(error.code) || troubles.has(error.code));
    world.scheduler.note(`answer to ${what}: ${isPawlError(error) ? error.code : ''} ${messageOf(error)}`);
    if (!isExpected) violate('I17 ending', `${what} ended in ${messageOf(error)}\n${stackOf(error)}`);
  };

  const send = (command: Sent): Sent => {
    const { id, session, by, type, data, machine } = command;
    const what = `${type} ${id} to ${session} by ${by.id}`;
    world.scheduler.note(`${by.id} on ${machine.name}: ${what} ${JSON.stringify(data)}`);
    sent.push(command);
    machine.host
      .client(by)
      .open(session)
      .then((client) => client.command(type, data, id))
      .then(
        (receipt) => {
          command.answer = 'accepted';
          world.scheduler.note(`answer to ${what}: ${receipt.isDuplicate ? 'accepted before' : 'accepted'}`);
          checkReceipt(command, receipt.seq);
        },
        (error: unknown) => {
          command.answer = isPawlError(error) ? error.code : 'unknown';
          checkError(error, what);
          if (isPawlError(error, 'human_only') && by.kind === 'human') {
            violate('I14 command', `${what} was refused to a person.`);
          }
        },
      );
    return command;
  };

  const checkReceipt = ({ session, id, type, data, by }: Sent, seq: number): void => {
    const key = `${session} ${id}`;
    const content = JSON.stringify([type, data]);
    const before = receipts.get(key);
    receipts.set(key, { seq, content });
    if (before !== undefined && before.seq !== seq) {
      violate('I14 command', `${key} was answered with ${before.seq} and then with ${seq}.`);
    }
    if (before !== undefined && before.content !== content) {
      violate('I14 command', `${key} was accepted with two contents.`);
    }
    if (world.book(session).commands.get(id)?.seq !== seq) {
      violate('I14 command', `${key} was accepted at ${seq}, where the log has nothing of it.`);
    }
    const isForHumans = ['approval.resolve', 'review.resolve'].includes(type) || /^(?:rule|question)\./.test(type);
    if (isForHumans && by.kind !== 'human') violate('I6 approval', `${by.id} was allowed to ${type}.`);
  };

  return {
    sent,
    waiting,
    checkError,
    command(machine, session, by, type, data, id = `c${++ids}`) {
      return send({ id, session, by, type, data, machine, answer: null });
    },
    repeat(command, machine) {
      send({ ...command, machine, answer: null });
    },
    follow(machine, session, by, text, id = `c${++ids}`) {
      const entry = { session, input: id, text, machine, isOver: false };
      waiting.push(entry);
      world.scheduler.note(`${by.id} on ${machine.name}: sends ${id} and follows its turn`);
      let lastSeq = 0;
      const see = (event: PawlEvent): void => {
        if (!('seq' in event)) return;
        if (lastSeq > 0 && event.seq !== lastSeq + 1) {
          violate('I13 subscriber', `${session}: who follows ${id} saw event ${event.seq} after ${lastSeq}.`);
        }
        lastSeq = event.seq;
      };
      followTurn(machine, entry, by, see)
        .catch((error: unknown) => checkError(error, `following ${id}`))
        .finally(() => {
          entry.isOver = true;
        });
    },
  };
}

async function followTurn(
  machine: Machine,
  { session, input, text }: Waiting,
  by: Identity,
  onEvent: (event: PawlEvent) => void,
): Promise<void> {
  const client = await machine.host.client(by).open(session);
  for await (const event of client.send(text, { id: input })) onEvent(event);
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : '';
}
