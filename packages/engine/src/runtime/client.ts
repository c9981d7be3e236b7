/** The client of one live session. */
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
import {
  commandDefaults,
  defaultIterations,
  jsonSchemaOf,
  PawlError,
  resultBy,
  sessionShortcuts,
} from '@pawl/protocol';
import { followAnswer, noAnswer } from '../readers/answer.ts';
import { createId } from './ids.ts';
import type { Session } from './session.ts';
import { viewOf } from './view.ts';

type Changes = Parameters<SessionClient['configure']>[0];

/** Commands that name a model or an agent, whose details the host fills in. */
const completed: ReadonlySet<CommandType> = new Set<CommandType>(['session.configure', 'plan.execute']);

/** `complete` fills in the details of a model or agent that is being switched to. */
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
      // Sent before: its events are in the log.
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
        // The sentence that ends the turn is the answer, unless the agent has written one.
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
    ...sessionShortcuts(command),
    events: (from, signal) => session.bus.subscribe(from, signal, { keepsAlive: true }),
    view: () => session.look(viewOf),
  };
}

const defaults: { readonly [Type in CommandType]?: object } = commandDefaults;

function withTarget(data: object & { target?: { maxIterations?: number } | undefined }): object {
  return data.target === undefined ? data : { ...data, target: { maxIterations: defaultIterations, ...data.target } };
}

/** Recognises the last event that concerns an input: its turn ended, or it was removed, or it became context. */
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
