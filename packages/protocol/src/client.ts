/** What a client can do, the same in process and across a network. */

import type { OutputSchema, ResultOf } from './output-schema.ts';
import type {
  Answer,
  CommandInput,
  CommandType,
  CompactionSettings,
  Cursor,
  DurableEvent,
  EventData,
  FilePart,
  Json,
  JsonObject,
  Limits,
  Origin,
  PawlEvent,
  PermissionMode,
  Receipt,
  RuleSet,
  SessionView,
  UserPart,
} from './types.ts';

/** Who acts. Only a human's word answers an approval, changes rules, or settles a review. */
export type Identity = { kind: 'human' | 'agent'; id: string };

export type CreateOptions = {
  /** The session's folder, absolute. */
  cwd: string;
  /** Its id; made up if not given. Letters, digits, `-` and `_`, at most 64. */
  id?: string;
  /** `provider/model`; the host's own if not given. */
  model?: string;
  agent?: string;
  mode?: PermissionMode;
  /** Whether someone will answer approvals. Default false: what would be asked is denied at once. */
  isAttended?: boolean;
  rules?: Partial<RuleSet>;
  limits?: Partial<Limits>;
  /** For whom it works, and where it came in. */
  origin?: Origin;
  metadata?: Record<string, string>;
  /** Whether a history that outgrows the window is compacted by itself (default), and at which share of it (0.75). */
  compaction?: Partial<CompactionSettings>;
};

/** Review, result, tool choice, time and target are of the turn that the input starts. */
export type SendOptions<Schema extends OutputSchema = OutputSchema> = Omit<
  CommandInput['input.send'],
  'content' | 'delivery' | 'outputSchema'
> & {
  /** What the turn's result is to satisfy: JSON Schema, or a schema of zod, valibot, arktype and the like. */
  outputSchema?: Schema;
  /** When a turn is running: after it (default), before its next model call, in its place, or not at all. */
  delivery?: 'queue' | 'steer' | 'interrupt' | 'reject';
  /** The command's id: the same id twice sends once. */
  id?: string;
};

/** How a turn ended, and the last thing the agent said in it. */
export type TurnResult<Result = Json> = Omit<EventData['turn.ended'], 'result'> & {
  text: string;
  /** What satisfies the `outputSchema`, wherever `outcome` is `completed`. */
  result?: Result | undefined;
};

export type Configuration = Omit<CommandInput['session.configure'], 'modelInfo' | 'profile'>;

/** What is to hold before anything that a session owes is taken up: written together with the opening. */
export type OpenOptions = { configure?: Configuration; rules?: RuleChange[] };

export interface SessionClient {
  readonly id: string;
  /**
   * Sends an input at once and gives the events from then on until the turn that took it has ended. Breaking off the
   * iteration does not stop the turn.
   */
  send(input: string | UserPart[], options?: SendOptions): AsyncIterableIterator<PawlEvent>;
  /**
   * Sends an input and waits for its turn to end.
   * @throws `bad_result` when the result satisfies the JSON Schema of `outputSchema`, but not what only its library checks.
   * @example
   * const { result } = await session.run('How many?', { outputSchema: z.object({ bugs: z.number() }) });
   * console.log(result?.bugs);
   */
  run<Schema extends OutputSchema = JsonObject>(
    input: string | UserPart[],
    options?: SendOptions<Schema>,
  ): Promise<TurnResult<ResultOf<Schema>>>;
  /** Any command. @throws the refusal, as a `PawlError` with its code. */
  command<Type extends CommandType>(type: Type, data: CommandInput[Type], id?: string): Promise<Receipt>;
  cancel(reason?: string): Promise<Receipt>;
  approve(call: string, answer?: { input?: JsonObject; reason?: string; rules?: RuleChange[] }): Promise<Receipt>;
  deny(call: string, reason?: string): Promise<Receipt>;
  /** Answers the questions of a call, one for each. */
  answer(call: string, answers: Answer[]): Promise<Receipt>;
  /** Refuses to answer them. */
  decline(call: string, reason?: string): Promise<Receipt>;
  /** Changes what the session works with from its next step on. */
  configure(changes: Configuration): Promise<Receipt>;
  /** Events after `from`, the message so far, then what happens, until `signal` aborts or the session closes. */
  events(from?: Cursor, signal?: AbortSignal): AsyncIterableIterator<PawlEvent>;
  view(): Promise<SessionView>;
}

export type RuleChange = { list: 'deny' | 'ask' | 'allow'; rule: string };

export interface Client {
  readonly identity: Identity;
  /**
   * Keeps an image (PNG, JPEG, GIF, WebP) or a PDF and gives the part to send it with. An image that is too large for
   * models is shrunk.
   * @throws `empty_file`, `unknown_file_type`, `damaged_file`, `file_too_large`.
   */
  attach(bytes: Uint8Array, options?: { name?: string }): Promise<FilePart>;
  create(options: CreateOptions): Promise<SessionClient>;
  /**
   * Takes a session up and goes on with what its log says is owed.
   * @throws `no_session`, `session_locked`, and the refusal of what `options` change.
   */
  open(session: string, options?: OpenOptions): Promise<SessionClient>;
  /** Looks at a session without taking it up. */
  view(session: string): Promise<SessionView>;
  /** The durable events of a session as they come, whoever drives it, until `signal` aborts. */
  watch(session: string, afterSeq?: number, signal?: AbortSignal): AsyncIterable<DurableEvent>;
  /** The durable events of a session after `afterSeq`. */
  read(session: string, afterSeq?: number): Promise<DurableEvent[]>;
  /** Copies a session up to a message (all of it if none is named); the text of that message comes back as a draft. */
  fork(
    session: string,
    options?: { beforeMessage?: string; id?: string },
  ): Promise<{ session: string; draft: UserPart[] | null }>;
  delete(session: string): Promise<void>;
}
