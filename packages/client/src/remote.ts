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
import { jsonSchemaOf, PawlError, resultBy, sessionShortcuts } from '@pawl/protocol';
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

const connectionLost = () =>
  new PawlError('connection_lost', 'The process that drives the session is gone. What was accepted is in the log.');

/**
 * A client of sessions at the other end of `connection`; `identity` is what the other side takes it for.
 * @example
 * const client = remoteClient(lineConnection(socket), { kind: 'human', id: 'me' });
 */
export function remoteClient(connection: Connection, identity: Identity): RemoteClient {
  const calls = new RemoteCalls(connection);
  return {
    identity,
    closed: calls.closed,
    close() {
      connection.close();
      calls.fail();
    },
    attach: (bytes, { name } = {}) =>
      calls.ask('client.attach', undefined, { base64: toBase64(bytes), ...(name !== undefined && { name }) }),
    create: async (options) => remoteSession(calls, (await calls.ask('client.create', undefined, options)).session),
    open: async (session, options = {}) =>
      remoteSession(calls, (await calls.ask('client.open', session, options)).session),
    view: (session) => calls.ask('client.view', session, {}),
    watch: (session, afterSeq = 0, signal) =>
      calls.stream('client.watch', session, { afterSeq }, signal) as unknown as ReturnType<Client['watch']>,
    read: (session, afterSeq = 0) => calls.ask('client.read', session, { afterSeq }),
    fork: (session, options = {}) => calls.ask('client.fork', session, options),
    delete: async (session) => {
      await calls.ask('client.delete', session, {});
    },
  };
}

function remoteSession(calls: RemoteCalls, id: string): SessionClient {
  const command = <Type extends CommandType>(
    type: Type,
    data: CommandInput[Type],
    commandId: string = crypto.randomUUID(),
  ): Promise<Receipt> => {
    const line = { id: commandId, session: id, type, data } as Omit<Command, 'by'>;
    return calls.answerTo(line) as Promise<Receipt>;
  };
  return {
    id,
    command,
    send: (content, options = {}) => calls.stream('client.send', id, { content, options: plain(options) }),
    async run<Schema extends OutputSchema>(
      content: string | UserPart[],
      options: SendOptions<Schema> = {},
    ): Promise<TurnResult<ResultOf<Schema>>> {
      const { result, ...rest } = await calls.ask('client.run', id, { content, options: plain(options) });
      const made = (await resultBy(options.outputSchema, result)) as ResultOf<Schema> | undefined;
      return { ...rest, ...(made !== undefined && { result: made }) };
    },
    ...sessionShortcuts(command),
    events: (from, signal) => calls.stream('client.events', id, from === undefined ? {} : { from }, signal),
    view: () => calls.ask('client.view', id, {}),
  };
}

/** Requests over one connection, and the answers and streams that come back. */
class RemoteCalls {
  readonly #connection: Connection;
  /** By id, in the order of the requests: a command may be sent twice. */
  readonly #pending = new Map<string, Pending[]>();
  readonly #streams = new Map<string, RemoteStream<PawlEvent>>();
  #end: PawlError | null = null;
  #requests = 0;
  /** Resolves when the connection has ended. */
  readonly closed: Promise<void>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.closed = this.#readLines()
      .catch(() => undefined)
      .finally(() => this.fail());
  }

  ask<Type extends RequestType>(
    type: Type,
    session: Requests[Type]['session'],
    data: Requests[Type]['data'],
  ): Promise<Requests[Type]['result']> {
    const line = { id: this.#newId(), type, session, data };
    return this.answerTo(line) as Promise<Requests[Type]['result']>;
  }

  answerTo(line: { id: string }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const waiting = this.#pending.get(line.id) ?? [];
      try {
        this.#send(line);
      } catch (error) {
        reject(error);
        return;
      }
      this.#pending.set(line.id, [...waiting, { resolve, reject }]);
    });
  }

  /** Starts at once; an error is thrown only to the reader of the stream. */
  stream<Type extends StreamType>(
    type: Type,
    session: string,
    data: Requests[Type]['data'],
    signal?: AbortSignal,
  ): RemoteStream<PawlEvent> {
    const id = this.#newId();
    const stop = () => stream.finish();
    const stream = new RemoteStream<PawlEvent>({
      took: (count) => this.#tell({ id, type: 'client.took', data: { count } }),
      leave: () => {
        signal?.removeEventListener('abort', stop);
        if (this.#streams.delete(id)) this.#tell({ id, type: 'client.stop' });
      },
    });
    try {
      this.#send({ id, type, session, data });
      this.#streams.set(id, stream);
    } catch {
      stream.fail(this.#end ?? connectionLost());
    }
    if (signal?.aborted === true) stop();
    else signal?.addEventListener('abort', stop, { once: true });
    return stream;
  }

  /** Ends all requests and streams with an error. */
  fail(): void {
    this.#end ??= connectionLost();
    for (const { reject } of [...this.#pending.values()].flat()) reject(this.#end);
    for (const stream of this.#streams.values()) stream.fail(this.#end);
    this.#pending.clear();
    this.#streams.clear();
  }

  async #readLines(): Promise<void> {
    for await (const line of this.#connection.lines()) {
      if ('value' in line) this.#receive(line.value as AnswerLine);
    }
  }

  #receive(line: AnswerLine): void {
    switch (line.type) {
      case 'event':
        this.#streams.get(line.id)?.give(line.event);
        return;
      case 'answer':
        this.#takePending(line.id)?.resolve(line.result);
        this.#streams.get(line.id)?.finish();
        this.#streams.delete(line.id);
        return;
      case 'error': {
        const error = new PawlError(line.error.code, line.error.message);
        if (line.id === null) return;
        this.#takePending(line.id)?.reject(error);
        this.#streams.get(line.id)?.fail(error);
        this.#streams.delete(line.id);
        return;
      }
      default:
        line satisfies never;
    }
  }

  #takePending(id: string): Pending | undefined {
    const waiting = this.#pending.get(id);
    const first = waiting?.shift();
    if (waiting?.length === 0) this.#pending.delete(id);
    return first;
  }

  #newId(): string {
    this.#requests += 1;
    return `r${this.#requests}`;
  }

  #send(line: object): void {
    if (this.#end !== null) throw this.#end;
    this.#connection.send(line).catch(() => undefined);
  }

  /** Sends a line that does not matter once the connection is gone. */
  #tell(line: object): void {
    if (this.#end === null) this.#send(line);
  }
}

function toBase64(bytes: Uint8Array): string {
  let text = '';
  for (let from = 0; from < bytes.length; from += 2 ** 15) {
    text += String.fromCharCode(...bytes.subarray(from, from + 2 ** 15));
  }
  return btoa(text);
}
