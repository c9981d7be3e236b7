/**
 * Every interface that the outside implements, on one page.
 * The engine reaches the outside world only through these.
 */
import type { Containment, PathDenies } from '@pawl/policy';
import type {
  Answer,
  AnswerOutcome,
  AssistantPart,
  Attempt,
  CommandData,
  DurableEvent,
  FilePart,
  Fragment,
  Json,
  JsonObject,
  Mail,
  MailDraft,
  Message,
  ModelInfo,
  Origin,
  PermissionMode,
  Preview,
  Question,
  RuleSet,
  StopReason,
  TaskEnvelope,
  TaskOutcome,
  TaskView,
  Todo,
  ToolChoice,
  ToolEffect,
  Usage,
} from '@pawl/protocol';
import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';

/* ---------------------------------------------------------------- the log */

/** One session in a list. */
export type SessionSummary = {
  session: string;
  seq: number;
  createdAt: number;
  updatedAt: number;
  cwd: string;
  model: string;
  /** The first input, shortened to one line. */
  firstMessage: string;
  /** What a person called it, or null. */
  title: string | null;
  isArchived: boolean;
  forkedFrom: string | null;
  /** For whom it works, and the metadata that its creator gave. */
  origin: Origin;
  metadata: Record<string, string>;
  /** Whether a living driver owns it. */
  isLocked: boolean;
};

export type SessionQuery = {
  /** Words to find in what was said, by person or model; all must occur. */
  search?: string;
  /** Only sessions of this folder. */
  cwd?: string;
  /** Only sessions that are nobody's task. The id of a task's session is its owner's, a dot, and the task's. */
  isMain?: boolean;
  /** Only those that are archived, or only the others. */
  isArchived?: boolean;
  /** Most sessions to return, newest first; default 50. */
  limit?: number;
};

/** Whoever has claimed a session. */
export type SessionOwner = {
  /** Of one open log in one process, and never used again. */
  name: string;
  pid: number;
  /** Unix milliseconds. */
  since: number;
};

/** Events that a log could not read. They are set aside untouched. */
export type Damage = { session: string; fromSeq: number; reason: string };

/**
 * Append-only logs of events, one a session. Asynchronous, because a log may lie across a network.
 * `logConformance` in `@pawl/storage/conformance` checks an implementation of your own.
 */
export interface SessionLog {
  /**
   * Adds one record, all or nothing. `expectedSeq` is the sequence number of the last event that the caller
   * knows (0 for a new session). When it resolves, the events are as durable as the log promises.
   * @throws `conflict` when the session stands elsewhere; `log_unavailable` when nothing could be written.
   */
  append(session: string, expectedSeq: number, events: readonly DurableEvent[]): Promise<void>;
  /** Events after `afterSeq` (default 0), in order. An unknown session has none. @throws `log_too_new`. */
  read(session: string, afterSeq?: number): Promise<DurableEvent[]>;
  /** Newest first. */
  list(query?: SessionQuery): Promise<SessionSummary[]>;
  /** Removes a session and all that only it holds. @throws `session_locked` while a driver owns it. */
  delete(session: string): Promise<void>;
  /** Events after `afterSeq` as they are appended, by this process or another, until `signal` aborts. */
  watch(session: string, afterSeq: number, signal: AbortSignal): AsyncIterable<DurableEvent[]>;
  /**
   * Makes this process the session's owner until it releases the claim or dies.
   * @throws `session_locked` while another living owner has it.
   */
  claim(session: string): Promise<{ release(): Promise<void> }>;
  /** The living owner of a session, where the log can tell; null if there is none. */
  owner?(session: string): Promise<SessionOwner | null>;
  /** What reading found damaged since the log was opened. */
  damage(): Damage[];
  close(): Promise<void>;
}

/** Large bodies by content. A digest is `sha256-<64 hex digits>`. */
export interface BlobStore {
  put(bytes: Uint8Array): Promise<string>;
  /** Null if there is no such blob. */
  get(digest: string): Promise<Uint8Array | null>;
}

/** A log and its blobs in one object, as storage packages offer them. */
export type Storage = SessionLog & BlobStore;

/* -------------------------------------------------------------- the model */

/** A tool as it is described to a model. */
export type ToolSpec = { name: string; description: string; inputSchema: JsonObject };

/**
 * One call of a model. `messages` only ever grows at its end between the steps of a turn, and its entries are
 * never changed in place, so a wire may serialise each one once and keep the bytes.
 */
export type ModelRequest = {
  session: string;
  /** When the call is made, Unix ms: its price is that of this moment. Default: the time of the machine. */
  at?: number;
  /** Set for calls that are not a step of a turn. */
  purpose?: 'compaction';
  /** The model's name without its provider. */
  model: string;
  system: string;
  tools: readonly ToolSpec[];
  messages: readonly Message[];
  /** Volatile text for after the last message, outside the cached prefix: budget, reminders. */
  tail: string | null;
  maxOutputTokens: number;
  /** Default `auto`. */
  toolChoice?: ToolChoice;
  /** JSON Schema that the text of the answer must satisfy. A model without support for schemas gets it as an instruction. */
  outputSchema?: JsonObject;
  /** Longest time of one call, ms; see `Model.limitsRequests`. */
  timeoutMs?: number;
  /** Bytes of a file in `messages` by its digest; null if they are lost, which the model is told. */
  file?(digest: string): Uint8Array | null;
  /** The first message whose thinking was signed over the history as it is sent now; signatures before it are dropped. Default 0. */
  signedFrom?: number;
};

/** A model's whole answer, in its order. Call ids are given by the engine. */
export type ModelMessage = {
  content: readonly ModelPart[];
  stopReason: StopReason;
  usage: Usage;
  /** US dollars; null where the price is not known. */
  costUsd: number | null;
  /** `provider/model` that wrote it, where that is not the model that was called. */
  model?: string;
  /** What was tried before this answer came. */
  attempts?: readonly Attempt[];
  /** The tool of a call that the output limit cut off; that call is not in `content`. */
  cutCall?: string;
};
type WithoutId<Part> = Part extends { type: 'tool_call' } ? Omit<Part, 'id'> : Part;
export type ModelPart = WithoutId<AssistantPart>;

/** `call` counts the tool calls of this answer from 1. */
export type ModelEvent =
  | {
      type: 'activity';
      activity: 'connecting' | 'waiting_headers' | 'waiting_first_token' | 'retrying' | 'switching_key' | 'cooling';
      detail?: string;
    }
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'input'; call: number; tool: string; text: string }
  | { type: 'input_complete'; call: number; tool: string; input: JsonObject }
  /** Usage of the answer so far, as its provider counts it; the next such event replaces it. Without any, usage is unknown. */
  | { type: 'usage'; usage: Usage; costUsd: number | null }
  /** Something that a person should see, in one line: a wait, a switch of model or key. */
  | { type: 'notice'; level: 'info' | 'warning'; code: string; message: string }
  /** The text streamed so far is void; the answer starts again. */
  | { type: 'rollback'; reason: string }
  | { type: 'finished'; message: ModelMessage };

/** A language model. Throws a `PawlError`; an aborted call ends at once, by throwing or returning. */
export interface Model {
  /** `provider/model`, as people select it. */
  readonly id: string;
  readonly info: ModelInfo;
  /** The model enforces the request's `timeoutMs` itself and tries again; otherwise the engine stops the call. */
  readonly limitsRequests?: boolean;
  /** Deltas as they come, then one `finished`. A model that cannot stream yields only the last. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/* --------------------------------------------------------------- the mail */

/** Who may write to whom: only sessions of one tree meet. */
export interface MailRules {
  /** Asked when a mail is written, and again when it is delivered. */
  mayWrite(from: string, to: string): boolean | Promise<boolean>;
  /** The session that this one works for; null for one that works for nobody. */
  ownerOf?(session: string): string | null;
}

/* -------------------------------------------------------------- the tools */

/** A schema of any library that speaks https://standardschema.dev: zod, valibot, arktype… */
export type InputSchema = StandardSchemaV1 & {
  readonly '~standard': { readonly jsonSchema?: StandardJSONSchemaV1.Converter };
};

/** What every function of a tool gets. */
export type ToolScope = {
  session: string;
  /** The session's folder, absolute; relative paths start here. */
  cwd: string;
  call: string;
  signal: AbortSignal;
  blobs: BlobStore;
  /** Digest of a file as this session last read or wrote it, or null. Keyed by canonical path. */
  lastSeen(path: string): string | null;
  /**
   * Whether rules keep what is at a canonical path in a folder from being read, though the folder may be searched; null
   * where they keep nothing there.
   */
  barredIn?(folder: string): ((path: string) => boolean) | null;
  /** The paths that rules deny, for a sandbox to enforce. */
  denies?(): PathDenies;
  /** The session's notes, by key. */
  readonly notes?: ReadonlyMap<string, string>;
  /** All tools of the session, also those that were not described to the model. */
  readonly tools?: readonly ToolSpec[];
  /** The session's agent. */
  readonly agent?: string;
  /** Work that is delegated from here. */
  readonly tasks?: TaskScope;
  /** Lists of folders and patterns: a path that this session changes lies in one of each list. Empty or absent: no such limit. */
  readonly writeScopes?: readonly (readonly string[])[];
  /** The session's mode. In `plan` nothing may be changed. */
  readonly mode?: PermissionMode;
  /** For whom the session works, and the metadata that its creator gave. */
  readonly origin?: Origin;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Mail to and from other sessions of the same tree; absent where there is none. */
  readonly mailbox?: ToolMailbox;
  /** All events of the session, in order: also what the model no longer sees. */
  history?(): Promise<readonly DurableEvent[]>;
  /**
   * Adds a message for the model, also after the call has ended: the model reads it before its next step. It counts as a
   * person's word, so it must not contain text from outside. Ignored for a session that is no longer driven here.
   */
  notify?(text: string): void;
};

/** What a tool sees of the session's mail. */
export type ToolMailbox = {
  /** The session that this one works for; null for one that works for nobody. */
  owner: string | null;
  inbox: readonly (Mail & { from: string; receivedAt: number; isAcknowledged: boolean })[];
  /** On their way. */
  outbox: readonly (Mail & { to: string; attempts: number })[];
  /** Why this cannot be sent, as a sentence; null if it can. */
  problem(mail: MailDraft & { to: string }): Promise<string | null>;
};
/** What a tool may do with tasks of its session. A refusal is thrown, with a sentence for the model. */
export interface TaskScope {
  /** The task that this session itself is; null for a main session. */
  readonly own: string | null;
  list(): readonly (TaskView & { report: string | null })[];
  /**
   * Requests a task, once for each call, however often this is called. `isSame` when another call had requested the same
   * work before.
   */
  start(request: TaskRequest): Promise<{ task: string; isSame: boolean }>;
  /** Waits until the task has ended and resolves to its report. */
  ended(task: string): Promise<{ report: string; outcome: TaskOutcome | null; session: string }>;
  send(task: string, text: string, delivery: 'queue' | 'steer' | 'interrupt'): Promise<void>;
  cancel(task: string, reason?: string): Promise<void>;
}

export type TaskRequest = Omit<CommandData['task.start'], 'call'>;

export type ToolContext = ToolScope & {
  /** Shown live, never stored. */
  progress(update: { text?: string; done?: number; total?: number }): void;
  /**
   * The judged paths and basis. A `run` that finds others throws code `outdated` before it touches anything, and the call
   * is judged again; so exactly what was previewed is applied.
   */
  paths: readonly string[];
  basis: string | null;
  /** The answers to the questions of the plan: one for each, by a person, or the defaults where nobody answered. */
  readonly replies?: { outcome: AnswerOutcome; answers: readonly Answer[] };
};

/**
 * What stood at a path before a call changed it: enough to put it back. Null: nothing. `mode` are permission bits.
 * Where a file was there before and after, the blob `delta` makes each of its contents of the other; else the blobs of
 * the digests are the contents.
 */
export type FormerEntry =
  | null
  | { kind: 'file'; digest: string; mode: number; delta?: string }
  | { kind: 'link'; target: string }
  | { kind: 'folder'; mode: number }
  /** Not kept, and why. */
  | { kind: 'lost'; reason: string };

export type ToolOutcome<Details extends JsonObject = JsonObject> = {
  /** For the model. Shaped by the engine if too long; the whole then goes to the blob store. */
  content: string;
  isError?: boolean;
  /** Images and documents for the model, each put into the blob store before. */
  files?: readonly FilePart[];
  /**
   * For clients, never for the model: diff, counts, exit code. `files` maps canonical paths to their digest after the
   * call, null for deleted; `before` maps those that it changed to what stood there, so that the change can be undone
   * and done again; `modes` maps those that it created to their permission bits, and
   * `folders` are the ones that it made for them.
   */
  details?: Details & {
    files?: { [path: string]: string | null };
    before?: { [path: string]: FormerEntry };
    modes?: { [path: string]: number };
    folders?: string[];
  };
  /** Ends the turn with this sentence; calls not yet started are dropped. */
  endsTurn?: string;
  /** Together with `endsTurn`: the agent cannot go on without a person. */
  isBlocked?: boolean;
  /** Together with `endsTurn`: the result of the turn, for its caller. */
  result?: Json;
  /** Declares the session's stage. */
  stage?: string;
  /** The agent's list, whole. */
  todos?: readonly Todo[];
  /** Notes to keep for the session, by key; null takes one away. */
  notes?: { readonly [key: string]: string | null };
  /** Mail to other sessions, written into the log together with the result and delivered from there. */
  mail?: readonly (MailDraft & { to: string })[];
  /** A plan for another agent to carry out, once a person says so. */
  plan?: string;
  /** Together with `endsTurn`, in a session that is a task: completes it, with this for its owner. */
  envelope?: TaskEnvelope;
  /** Names of tools that are described to the model from the next step on; see `Tool.isEssential`. */
  offers?: readonly string[];
};

/** What a call would do. `basis` is a short string that changes whenever the preview would (a digest of the files it rests on). */
export type ToolPlan = {
  preview?: Preview;
  basis?: string;
  /** Given to `reconcile` after a crash, to find out whether the deed was done. */
  evidence?: Json;
  /** Questions that a person must answer before the call runs. */
  questions?: readonly Question[];
  /** How long the answer may take, ms; never longer than the session lets approvals wait. */
  answerWithinMs?: number;
};

export interface Tool<Input extends JsonObject = JsonObject, Details extends JsonObject = JsonObject> {
  readonly name: string;
  readonly description: string;
  /** JSON Schema, or a Standard Schema (which then needs `inputSchema` unless it can describe itself). */
  readonly input: JsonObject | InputSchema;
  readonly inputSchema?: JsonObject;
  /** Its results come from outside, from files, programs or pages, and are shown to a model between tags that say so. Default false. */
  readonly isOutside?: boolean;
  readonly effect: ToolEffect | ((input: Input) => ToolEffect);
  /**
   * `true`: always described to the model. `false`: only its name is listed until the model has searched for it, if a tool
   * with `findsTools` exists. Absent: as `false` in a large set of tools only.
   */
  readonly isEssential?: boolean;
  /** Whether a call polls: it may be repeated with the same arguments and the same result. Default false. */
  readonly isPolling?: boolean | ((input: Input) => boolean);
  /** Whether a call that only reads may start while its answer still streams. Default true. */
  readonly beginsEarly?: boolean;
  /** Offered only where work can be delegated (`owner`), or only in a session that is a task (`task`). Default: everywhere. */
  readonly audience?: 'owner' | 'task';
  /** Finds other tools for the model: the names of tools that are not described are added to its description. */
  readonly findsTools?: boolean;
  /** What rules match against: `bash` its command, file tools their path. Default: the first string argument. */
  subject?(input: Input): string;
  /** Whether `subject` is a path, a shell command, a URL or plain text. Default `text`. */
  readonly subjectKind?: 'path' | 'command' | 'url' | 'text';
  /** The tool's own question when no rule decides: true asks. Default: asks unless the effect is `read`. */
  approval?(input: Input, scope: ToolScope): boolean | Promise<boolean>;
  /** How a sandbox contains this call; default `none`. `run` must do no more than this allows. */
  containment?(input: Input, scope: ToolScope): Containment | Promise<Containment>;
  /** Whether a sandbox keeps the call to the session's `writeScopes`; default false. */
  holdsScope?(input: Input, scope: ToolScope): boolean | Promise<boolean>;
  /** Canonical (symlinks resolved) absolute paths that the call touches. Rules are matched against these. */
  paths?(input: Input, scope: ToolScope): Promise<readonly string[]>;
  /** What would change, without changing anything; called only if the rules did not deny the call. @throws when it cannot be done. */
  plan?(input: Input, scope: ToolScope): Promise<ToolPlan>;
  run(input: Input, context: ToolContext): Promise<ToolOutcome<Details>>;
  /** After a crash: did it happen? Null if nobody can know. `evidence` is from the plan. */
  reconcile?(input: Input, evidence: Json, scope: ToolScope): Promise<ToolOutcome<Details> | 'not_done' | null>;
}

/** A tool as an author may write it: `run` may return only the text for the model, and need not be asynchronous. */
export type ToolDefinition<Input extends JsonObject = JsonObject, Details extends JsonObject = JsonObject> = Omit<
  Tool<Input, Details>,
  'run'
> & {
  run(input: Input, context: ToolContext): ToolOutcome<Details> | string | Promise<ToolOutcome<Details> | string>;
};

/* ------------------------------------------------------------- the secrets */

/** Removes secrets from the output of tools before it is stored, shown or sent to a model. */
export interface Redactor {
  redact(text: string): string;
  /**
   * A text as it is written to the log and to exports, whoever wrote it. The model was sent the original; after the session
   * is opened again it sees the marks. Without this function, texts are stored as they are.
   */
  keep?(text: string): string;
  /** For a text that comes in pieces: a possible beginning of a secret is held back until more is known. */
  stream(): { push(piece: string): string; end(): string };
}

/* ------------------------------------------------------------- the agents */

/** A named role. */
export type Agent = {
  name: string;
  /** What it is for, in one line. */
  description: string;
  /** Whether it leads sessions, takes tasks from other agents, or both. */
  mode: 'main' | 'task' | 'all';
  /** Its part of the system prompt. */
  prompt: string;
  /** The file that it is from; null for one that is built in. */
  source: string | null;
  /** The model, or pool, of sessions that name none; null is the session's. */
  model: string | null;
  /** Names of tools, `*` for any characters, `!` before what is left out; null is all. */
  tools: readonly string[] | null;
  rules: RuleSet;
  permissionMode: PermissionMode | null;
  /** Agents that it may give tasks to; null is any. */
  delegates: readonly string[] | null;
  /** For clients: a name of a colour, or `#rrggbb`. */
  colour: string | null;
  /** Most model calls of a turn. */
  steps: number | null;
};

/** The known agents; a project may add some. */
export interface Agents {
  /** Null if there is none of this name. @throws when it cannot be read, saying where and why. */
  get(name: string, cwd: string): Promise<Agent | null>;
  /** Sorted by name. */
  list(cwd: string): Promise<readonly Agent[]>;
}

/* ------------------------------------------------------- what surrounds it */

/** What to gather for one turn. */
export type SurroundingsQuery = {
  session: string;
  cwd: string;
  agent: string;
  /** The agent's own part of the prompt, where the host knows it. */
  role: { text: string; source: string | null } | null;
  mode: PermissionMode;
  /** Whether somebody is there to be asked. */
  isAttended: boolean;
  metadata: Readonly<Record<string, string>>;
  /** What the turn is about: its first input. */
  task: string;
  /** Whether to gather everything, or only what may change within a session. */
  isFull: boolean;
  /** The fragments that were gathered last. */
  fragments: readonly Fragment[];
  /** Pieces of the prompt that were set at runtime, by name; an empty one removes the piece. */
  prompts: ReadonlyMap<string, string>;
  /** Unix milliseconds. */
  now: number;
  /** Shows a person a notice about something that could not be read and is left out. */
  notice(message: string): void;
};

/** Gathers the fragments of the system prompt. Without it, the host's `system` is the whole prompt. */
export interface Surroundings {
  /** All fragments, in their order; null where nothing has changed. Must end at once when `signal` aborts. */
  gather(query: SurroundingsQuery, signal: AbortSignal): Promise<readonly Fragment[] | null>;
}

/* ------------------------------------------------------ context from outside */

/** One result of a source. */
export type ContextEntry = {
  /** Names it to the model, such as the address of a page or the name of an entity. */
  id: string;
  text: string;
  /** Entries with the lowest priority are dropped first where there is no room for all; default 0. */
  priority?: number;
  /** Never dropped, only shortened. */
  isPreserved?: boolean;
};

export type ContextQuery = {
  session: string;
  cwd: string;
  agent: string;
  metadata: Readonly<Record<string, string>>;
  /** What the turn is about: its first input. */
  task: string;
  /** Room for the entries; more is cut. */
  budgetTokens: number;
};

/**
 * Context from outside the engine: a retrieval (`hydrated`), or facts of a knowledge graph about the entities of the work
 * (`entities`). Asked when a turn starts and after a compaction; the results are logged.
 */
export interface ContextSource {
  readonly name: string;
  readonly region: 'hydrated' | 'entities';
  /** Ends at once when `signal` aborts. A source that fails or takes more than ten seconds is left out, with a notice. */
  find(query: ContextQuery, signal: AbortSignal): Promise<readonly ContextEntry[]>;
}

/* ------------------------------------------------------------- the memory */

/** Something to be remembered beyond its session. */
export type MemoryNote = {
  id: string;
  text: string;
  /** The folder of the project that it belongs to; null is everywhere. */
  folder: string | null;
  /** Unix milliseconds. */
  at: number;
  /** Who wrote it: a person, or an agent by its name. */
  by: { kind: 'human' | 'agent'; id: string };
  /** The session and the call that it comes from. */
  session: string | null;
  call: string | null;
  /** The words that it is based on, if any. */
  source: string | null;
};

/** Notes that outlast sessions. `memoryConformance` in `@pawl/storage/conformance` checks one of your own. */
export interface Memory {
  /** Notes of everywhere, and of the projects that `cwd` lies in, that share words with `query`; the closest first. */
  search(query: string, options: { cwd: string; limit: number }): Promise<MemoryNote[]>;
  /** The same call of the same session adds once. @throws `empty_note`, `note_too_long`, `memory_unavailable`. */
  add(note: Omit<MemoryNote, 'id' | 'at'>): Promise<MemoryNote>;
  /** @throws `no_note`. */
  remove(id: string): Promise<void>;
  /** All of them, newest first. */
  list(): Promise<MemoryNote[]>;
  close(): Promise<void>;
}

/* --------------------------------------------------------------- the clock */

/** Time. The simulator has its own. */
export interface Clock {
  /** Unix milliseconds. */
  now(): number;
  /** Calls once at or after `at` (Unix ms); returns a function that cancels it. Must not keep the process alive by itself. */
  at(at: number, call: () => void): () => void;
}
