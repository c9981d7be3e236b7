/** A client whose sessions are driven at the other end of a connection. */
import type {
  Client,
  Command,
  CommandInput,
  CommandType,
  Identity,
  JsonObject,
  OutputSchema,
  PawlEvent,
  Receipt,
  ResultOf,
  SendOptions,
  SessionClient,
  TurnResult,
  UserPart,
} from '@pawl/protocol';
import { jsonSchemaOf, PawlError, resultBy } from '@pawl/protocol';
import type { Connection } from './connection.ts';
import type { AnswerLine, Requests, RequestType, StreamType } from './lines.ts';
import { RemoteStream } from './stream.ts';

/** `Client` over a connection. When that is gone, everything that is asked for fails with `connection_lost`. */
export interface RemoteClient extends Client {
  /** Resolves when the other side is gone, or the client was closed. */
  readonly closed: Promise<void>;
  close(): void;
}

/** A schema of a library stays here; over the connection goes what it describes. */
function plain({ outputSchema, ...options }: SendOptions): SendOptions<JsonObject> {
  return { ...options, ...(outputSchema !== undefined && { outputSchema: jsonSchemaOf(outputSchema) }) };
}

type Pending = { resolve(result: unknown): void; reject(error: PawlError): void };

const lost = () =>
  new PawlError('connection_lost', 'The process that drives the session is gone. What was accepted is in the log.');

/**
 * `identity` is what the other side takes this client for.
 * @example
 * const client = remoteClient(lineConnection(socket), { kind: 'human', id: 'me' });
 */
export function remoteClient(connection: Connection, identity: Identity): RemoteClient {
  /** By id, in the order in which they were asked: a command may be sent twice. */
  const pending = new Map<string, Pending[]>();
  const streams = new Map<string, RemoteStream<PawlEvent>>();
  let end: PawlError | null = null;
  let asked = 0;

  const fail = () => {
    end ??= lost();
    for (const { reject } of [...pending.values()].flat()) reject(end);
    for (const stream of streams.values()) stream.fail(end);
    pending.clear();
    streams.clear();
  };
  const settle = (id: string, tell: (waiting: Pending) => void) => {
    const waiting = pending.get(id)?.shift();
    if (pending.get(id)?.length === 0) pending.delete(id);
    if (waiting !== undefined) tell(waiting);
  };
  const hear = (line: AnswerLine) => {
    switch (line.type) {
      case 'event':
        streams.get(line.id)?.give(line.event);
        return;
      case 'answer':
        settle(line.id, ({ resolve }) => resolve(line.result));
        streams.get(line.id)?.finish();
        streams.delete(line.id);
        return;
      case 'error': {
        const error = new PawlError(line.error.code, line.error.message);
        if (line.id === null) return;
        settle(line.id, ({ reject }) => reject(error));
        streams.get(line.id)?.fail(error);
        streams.delete(line.id);
        return;
      }
      default:
        line satisfies never;
    }
  };
  const closed = (async () => {
    for await (const line of connection.lines()) {
      if ('value' in line) hear(line.value as AnswerLine);
    }
  })()
    .catch(() => undefined)
    .finally(fail);

  const newId = () => {
    asked += 1;
    return `r${asked}`;
  };
  const send = (line: object) => {
    if (end !== null) throw end;
    connection.send(line).catch(() => undefined);
  };
  const answerTo = (line: { id: string }): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const waiting = pending.get(line.id) ?? [];
      try {
        send(line);
      } catch (error) {
        reject(error);
        return;
      }
      pending.set(line.id, [...waiting, { resolve, reject }]);
    });
  const ask = <Type extends RequestType>(
    type: Type,
    session: Requests[Type]['session'],
    data: Requests[Type]['data'],
  ): Promise<Requests[Type]['result']> =>
    answerTo({ id: newId(), type, session, data } as { id: string }) as Promise<Requests[Type]['result']>;

  /** Begins at once; throws only to whoever takes from it. */
  const streamOf = <Type extends StreamType>(
    type: Type,
    session: string,
    data: Requests[Type]['data'],
    signal?: AbortSignal,
  ): RemoteStream<PawlEvent> => {
    const id = newId();
    const stop = () => stream.finish();
    const stream = new RemoteStream<PawlEvent>({
      took: (count) => tell({ id, type: 'client.took', data: { count } }),
      leave: () => {
        signal?.removeEventListener('abort', stop);
        if (streams.delete(id)) tell({ id, type: 'client.stop' });
      },
    });
    try {
      send({ id, type, session, data });
      streams.set(id, stream);
    } catch {
      stream.fail(end ?? lost());
    }
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    return stream;
  };
  /** What nobody hears any more need not be said. */
  const tell = (line: object) => {
    if (end === null) send(line);
  };

  const sessionOf = (id: string): SessionClient => {
    const command = <Type extends CommandType>(
      type: Type,
      data: CommandInput[Type],
      commandId: string = crypto.randomUUID(),
    ): Promise<Receipt> => {
      const line = { id: commandId, session: id, type, data } as Omit<Command, 'by'>;
      return answerTo(line) as Promise<Receipt>;
    };
    return {
      id,
      command,
      send: (content, options = {}) => streamOf('client.send', id, { content, options: plain(options) }),
      async run<Schema extends OutputSchema>(
        content: string | UserPart[],
        options: SendOptions<Schema> = {},
      ): Promise<TurnResult<ResultOf<Schema>>> {
        const { result, ...rest } = await ask('client.run', id, { content, options: plain(options) });
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
      events: (from, signal) => streamOf('client.events', id, from === undefined ? {} : { from }, signal),
      view: () => ask('client.view', id, {}),
    };
  };

  return {
    identity,
    closed,
    close() {
      connection.close();
      fail();
    },
    attach: (bytes, { name } = {}) =>
      ask('client.attach', undefined, { base64: toBase64(bytes), ...(name !== undefined && { name }) }),
    create: async (options) => sessionOf((await ask('client.create', undefined, options)).session),
    open: async (session, options = {}) => sessionOf((await ask('client.open', session, options)).session),
    view: (session) => ask('client.view', session, {}),
    watch: (session, afterSeq = 0, signal) =>
      streamOf('client.watch', session, { afterSeq }, signal) as unknown as ReturnType<Client['watch']>,
    read: (session, afterSeq = 0) => ask('client.read', session, { afterSeq }),
    fork: (session, options = {}) => ask('client.fork', session, options),
    delete: async (session) => {
      await ask('client.delete', session, {});
    },
  };
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += 2 ** 15) {
    text += String.fromCharCode(...bytes.subarray(from, from + 2 ** 15));
  }
  return btoa(text);
}
