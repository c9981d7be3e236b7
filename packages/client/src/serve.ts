/** Answers what a client at the other end of a connection asks, as the client that it is taken for. */
import type { Client, PawlEvent, SessionClient } from '@pawl/protocol';
import { isPawlError, messageOf, PawlError } from '@pawl/protocol';
import { readCommand } from './commands.ts';
import type { Connection } from './connection.ts';
import type { AnswerLine, RequestLine, StreamLine } from './lines.ts';
import { windowEvents } from './lines.ts';

export type ServeOptions = {
  /** Throws for a session that is not to be taken up for others here. */
  mayOpen(session: string): Promise<void>;
  /** Throws where sessions are not begun for others. */
  mayCreate(): void;
};

/** Events that are being given. */
type Giving = { took(count: number): void; stop(): void };
/** What a request comes to, once it was begun. A stream gives its own end. */
type Begun = { outcome: Promise<unknown>; isStream?: true };

/** Until the other side says no more, and what it asked is answered. Never throws. */
export async function serveClient(client: Client, connection: Connection, options: ServeOptions): Promise<void> {
  const giving = new Map<string, Giving>();
  const answering = new Set<Promise<void>>();
  const say = (line: AnswerLine) => connection.send(line);
  const complain = (id: string | null, error: unknown) => {
    const code = isPawlError(error) ? error.code : 'engine_fault';
    return say({ type: 'error', id, error: { code, message: messageOf(error) } });
  };
  const open = async (session: string): Promise<SessionClient> => {
    await options.mayOpen(session);
    return client.open(session);
  };
  const stream = (id: string, events: AsyncIterator<PawlEvent>): Begun => {
    const outcome = giveEvents(events, {
      say: (event) => say({ type: 'event', id, event }),
      note: (stream) => giving.set(id, stream),
    }).finally(() => giving.delete(id));
    return { outcome, isStream: true };
  };

  const begin = async (line: RequestLine): Promise<Begun> => {
    switch (line.type) {
      case 'client.attach': {
        const { base64, name } = line.data;
        return { outcome: client.attach(bytesOf(base64), name === undefined ? {} : { name }) };
      }
      case 'client.create':
        options.mayCreate();
        return { outcome: client.create(line.data).then(({ id }) => ({ session: id })) };
      case 'client.open':
        await options.mayOpen(line.session);
        return { outcome: client.open(line.session, line.data).then(({ id }) => ({ session: id })) };
      case 'client.view':
        return { outcome: client.view(line.session) };
      case 'client.read':
        return { outcome: client.read(line.session, line.data.afterSeq) };
      case 'client.fork':
        return { outcome: client.fork(line.session, line.data) };
      case 'client.delete':
        return { outcome: client.delete(line.session).then(() => null) };
      case 'client.run': {
        const { content, options: asked } = line.data;
        return { outcome: (await open(line.session)).run(content, asked) };
      }
      case 'client.watch':
        return stream(line.id, watched(client, line.session, line.data.afterSeq));
      case 'client.events':
        return stream(line.id, (await open(line.session)).events(line.data.from));
      case 'client.send': {
        const { content, options: asked } = line.data;
        return stream(line.id, (await open(line.session)).send(content, asked));
      }
      default:
        line satisfies never;
        throw new PawlError('bad_request', `There is no request "${(line as { type: string }).type}".`);
    }
  };
  const beginCommand = async (value: object): Promise<Begun> => {
    const { session, type, data, id } = await readCommand(value, client.identity);
    return { outcome: (await open(session)).command(type, data, id) };
  };

  const hear = async (value: unknown) => {
    if (!isLine(value)) {
      await complain(null, new PawlError('bad_line', 'A line is an object with an id and a type, both texts.'));
      return;
    }
    const { id } = value;
    if (isAboutStream(value)) {
      if (value.type === 'client.stop') giving.get(id)?.stop();
      else giving.get(id)?.took(value.data.count);
      return;
    }
    try {
      // What was asked first is begun first; what it comes to is told when that is known.
      const { outcome, isStream } = await (value.type.startsWith('client.')
        ? begin(value as RequestLine)
        : beginCommand(value));
      const answered = outcome
        .then(
          (result) => say({ type: 'answer', id, result: isStream === true ? null : result }),
          (error: unknown) => complain(id, error),
        )
        .catch(() => undefined)
        .finally(() => answering.delete(answered));
      answering.add(answered);
    } catch (error) {
      await complain(id, error);
    }
  };

  for await (const line of connection.lines()) {
    if ('value' in line) await hear(line.value);
    else await complain(null, new PawlError('bad_line', `Line ${line.number} was passed over. ${line.problem}`));
  }
  for (const stream of giving.values()) stream.stop();
  await Promise.all(answering);
}

type Giver = { say(event: PawlEvent): Promise<void>; note(giving: Giving): void };

/** As fast as the other side takes them, and not a whole window faster; the engine never waits for it. */
async function giveEvents(events: AsyncIterator<PawlEvent>, { say, note }: Giver): Promise<void> {
  let room = windowEvents;
  let isStopped = false;
  let wake: () => void = () => undefined;
  note({
    took(count) {
      room += count;
      wake();
    },
    stop() {
      isStopped = true;
      wake();
      events.return?.().catch(() => undefined);
    },
  });
  for (;;) {
    const { done, value } = await events.next();
    if (done === true || isStopped) return;
    await say(value);
    room -= 1;
    while (room <= 0 && !isStopped) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
}

function watched(client: Client, session: string, afterSeq: number | undefined): AsyncIterator<PawlEvent> {
  const leaving = new AbortController();
  const events = client.watch(session, afterSeq, leaving.signal)[Symbol.asyncIterator]();
  return {
    next: () => events.next(),
    return() {
      leaving.abort();
      return Promise.resolve({ done: true, value: undefined });
    },
  };
}

const isLine = (value: unknown): value is { id: string; type: string } =>
  typeof value === 'object' &&
  value !== null &&
  'id' in value &&
  'type' in value &&
  typeof value.id === 'string' &&
  typeof value.type === 'string';

function isAboutStream(line: { id: string; type: string }): line is StreamLine {
  if (line.type === 'client.stop') return true;
  const { data } = line as { data?: { count?: unknown } };
  return line.type === 'client.took' && Number.isInteger(data?.count);
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
