/** One client's hold on one live session. */
import type {
  Command,
  CommandData,
  CommandInput,
  CommandType,
  Identity,
  OutputSchema,
  PawlEvent,
  Receipt,
  ResultOf,
  SendOptions,
  SessionClient,
  TurnResult,
  UserPart,
} from '@pawl/protocol';
import { commandDefaults, defaultIterations, jsonSchemaOf, PawlError, resultBy } from '@pawl/protocol';
import { followAnswer, noAnswer } from '../readers/answer.ts';
import { createId } from './ids.ts';
import type { Session } from './session.ts';
import { viewOf } from './view.ts';

type Changes = Parameters<SessionClient['configure']>[0];

/** Commands that name a model or an agent, of which the host knows more. */
const completed: ReadonlySet<CommandType> = new Set<CommandType>(['session.configure', 'plan.execute']);

/** `complete` fills in what is known of a model or an agent that is being switched to. */
export function sessionClient(
  session: Session,
  identity: Identity,
  complete: (changes: Changes) => Promise<CommandInput['session.configure']>,
): SessionClient {
  const command = async <Type extends CommandType>(
    type: Type,
    data: CommandInput[Type],
    id = createId(),
  ): Promise<Receipt> => {
    const given: object = completed.has(type) ? await complete(data as Changes) : data;
    const filled = withTarget({ ...defaults[type], ...given }) as CommandData[Type];
    // A command is a pair of type and data; TypeScript cannot see that these two belong together.
    return session.command({ id, session: session.id, by: identity, type, data: filled } as Command);
  };

  const send = (input: string | UserPart[], options: SendOptions = {}): AsyncIterableIterator<PawlEvent> => {
    const { id = createId(), delivery = commandDefaults['input.send'].delivery, outputSchema, ...asked } = options;
    const content: UserPart[] = typeof input === 'string' ? [{ type: 'text', text: input }] : input;
    if (!Array.isArray(content)) throw new PawlError('bad_input', 'An input is a text, or a list of parts.');
    const schema = outputSchema === undefined ? {} : { outputSchema: jsonSchemaOf(outputSchema) };
    const events = session.bus.subscribe(undefined, undefined, { isLast: endsWith(id), keepsAlive: true });
    events.hold();
    const data = { content, delivery, ...asked, ...schema };
    command('input.send', data, id).then(
      // Sent before: what became of it since is in the log.
      (receipt) => events.release(receipt.isDuplicate ? receipt.seq : undefined),
      (refusal: unknown) => {
        events.end(refusal);
        events.release();
      },
    );
    return events;
  };

  return {
    id: session.id,
    command,
    send,
    async run<Schema extends OutputSchema>(
      input: string | UserPart[],
      options: SendOptions<Schema> = {},
    ): Promise<TurnResult<ResultOf<Schema>>> {
      const id = options.id ?? createId();
      let answer = noAnswer;
      let isOwn = false;
      let ended: TurnResult | null = null;
      for await (const event of send(input, { ...options, id })) {
        if (event.type === 'turn.started') {
          answer = noAnswer;
          isOwn = false;
        }
        if (event.type === 'message.added') {
          const { message } = event.data;
          if (message.role === 'user') isOwn ||= message.input === id;
          else answer = followAnswer(answer, message);
        }
        // What ends the turn is said last, unless the agent said it in words of its own.
        if (event.type === 'tool.finished' && answer.text === '') {
          answer = { text: event.data.endsTurn ?? '', isOpen: false };
        }
        if (event.type === 'turn.ended' && isOwn) ended = { ...event.data, text: answer.text };
      }
      if (ended === null) throw new PawlError('no_turn', 'The input was removed or added as context; no turn took it.');
      const { result, ...rest } = ended;
      const made = (await resultBy(options.outputSchema, result)) as ResultOf<Schema> | undefined;
      return { ...rest, ...(made !== undefined && { result: made }) };
    },
    cancel: (reason) => command('turn.cancel', reason === undefined ? {} : { reason }),
    approve: (call, answer = {}) => command('approval.resolve', { call, decision: 'allow', ...answer }),
    deny: (call, reason) =>
      command('approval.resolve', { call, decision: 'deny', ...(reason !== undefined && { reason }) }),
    answer: (call, answers) => command('question.answer', { call, answers }),
    decline: (call, reason) => command('question.decline', { call, ...(reason !== undefined && { reason }) }),
    configure: (changes) => command('session.configure', changes),
    events: (from, signal) => session.bus.subscribe(from, signal, { keepsAlive: true }),
    view: () => session.look(viewOf),
  };
}

const defaults: { readonly [Type in CommandType]?: object } = commandDefaults;

function withTarget(data: object & { target?: { maxIterations?: number } | undefined }): object {
  return data.target === undefined ? data : { ...data, target: { maxIterations: defaultIterations, ...data.target } };
}

/** Tells the event with which an input is done with: its turn ended, or it was removed, or it became context without a turn. */
function endsWith(input: string): (event: PawlEvent) => boolean {
  let turn: number | null = null;
  let isTaken = false;
  return (event) => {
    switch (event.type) {
      case 'turn.started':
        turn = event.data.turn;
        return false;
      case 'message.added':
        if (event.data.message.role !== 'user' || event.data.message.input !== input) return false;
        isTaken = true;
        return event.data.message.source === 'context';
      case 'input.removed':
        return event.data.input === input;
      case 'turn.ended':
        return isTaken && (turn === null || event.data.turn === turn);
      default:
        return false;
    }
  };
}
