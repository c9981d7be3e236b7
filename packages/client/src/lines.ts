/**
 * What goes over a connection, one JSON object a line. A client writes commands of the protocol, as they are but for
 * `by` (who writes is known by the connection), and requests for the rest of the `Client` interface. Each is answered
 * by its id: at most once with a result or an error, and before that, where it asks for events, with those.
 */
import type {
  CreateOptions,
  Cursor,
  DurableEvent,
  FilePart,
  OpenOptions,
  PawlEvent,
  SendOptions,
  SessionView,
  TurnResult,
  UserPart,
} from '@pawl/protocol';

type Of<Session extends string | undefined, Data, Result> = { session: Session; data: Data; result: Result };
type Copy = { session: string; draft: UserPart[] | null };

/** The requests that are no commands, by type. Those that give events have `null` as their result, at the end. */
export type Requests = {
  'client.attach': Of<undefined, { base64: string; name?: string }, FilePart>;
  'client.create': Of<undefined, CreateOptions, { session: string }>;
  'client.open': Of<string, OpenOptions, { session: string }>;
  'client.view': Of<string, object, SessionView>;
  'client.read': Of<string, { afterSeq?: number }, DurableEvent[]>;
  'client.fork': Of<string, { beforeMessage?: string; id?: string }, Copy>;
  'client.delete': Of<string, object, null>;
  'client.run': Of<string, { content: string | UserPart[]; options: SendOptions }, TurnResult>;
  /** Durable events, whoever drives the session. */
  'client.watch': Of<string, { afterSeq?: number }, null>;
  /** The durable tail, the message so far, the live stream. */
  'client.events': Of<string, { from?: Cursor }, null>;
  /** Sends an input, and gives events until its turn has ended. */
  'client.send': Of<string, { content: string | UserPart[]; options: SendOptions }, null>;
};

export type RequestType = keyof Requests;
export type StreamType = 'client.watch' | 'client.events' | 'client.send';

/** About events that are being given, named by the id of the request for them. Not answered. */
export type StreamLine =
  /** So many more were taken: as many more may be sent. */
  { id: string; type: 'client.took'; data: { count: number } } | { id: string; type: 'client.stop' };

export type RequestLine = {
  [Type in RequestType]: { id: string; type: Type; session: Requests[Type]['session']; data: Requests[Type]['data'] };
}[RequestType];

/** What the other side answers with. An error that belongs to no request has no id. */
export type AnswerLine =
  | { type: 'event'; id: string; event: PawlEvent }
  | { type: 'answer'; id: string; result: unknown }
  | { type: 'error'; id: string | null; error: { code: string; message: string } };

/** Events that may be on their way to a client that has not taken those before. */
export const windowEvents = 1024;
/** After so many, a client says that it took them. */
export const tookEvents = 256;
