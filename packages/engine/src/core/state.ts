/** What we know of a session: the fold of its log. Plain data; only `evolve` changes it. */
import type {
  Actor,
  AgentProfile,
  Answer,
  AnswerOutcome,
  CompactionCause,
  CompactionSettings,
  EventData,
  Fragment,
  InputDelivery,
  Json,
  JsonObject,
  Judgement,
  Limits,
  LoopStatus,
  Message,
  ModelInfo,
  Origin,
  PermissionMode,
  Question,
  QueueDisposition,
  RuleSet,
  Todo,
  ToolEffect,
  ToolResult,
  TurnOptions,
  TurnOutcome,
  Usage,
  UserPart,
} from '@pawl/protocol';
import type { Pin } from './compaction/pins.ts';
import { defaultCompaction } from './compaction/window.ts';
import type { Assigned } from './fold/assignment.ts';
import type { Ending } from './fold/flow.ts';
import type { DoneCall } from './repeats.ts';
import type { Task } from './tasks/tasks.ts';

/** A message of the history; its id is `m<seq>`, from the event that completed it. Never changed in place. */
export type HistoryMessage = Message & { readonly id: string };

/**
 * Where a call stands. `proposed` waits to be judged, `deferred` for earlier calls, `asking` for a person's leave,
 * `questioned` for a person's answer; `refused` and `allowed` are decided; `running` has its intent in the log.
 */
type CallStatus = 'proposed' | 'deferred' | 'asking' | 'questioned' | 'refused' | 'allowed' | 'running' | 'finished';

export type Call = {
  id: string;
  tool: string;
  input: JsonObject;
  malformed: string | null;
  status: CallStatus;
  /** How often it went to be judged; part of the judge effect's id. */
  round: number;
  /** What the call would touch, as far as that is known. */
  claims: { effect: ToolEffect; paths: readonly string[] } | null;
  behind: readonly string[];
  judgement: Judgement | null;
  /** The open question, once it has been put. */
  approval: { round: number; expiresAt: number | null; isExpired: boolean } | null;
  /** A person allowed these arguments, having seen this preview; a question that shows nothing else is answered already. */
  approved: { preview: string | null } | null;
  /** Rules or mode have changed since it was judged. */
  isStale: boolean;
  answer: { decision: EventData['approval.resolved']['decision']; reason: string | null; by: Actor } | null;
  /** What approvers changed or remarked, for the model to be told with the result. */
  remarks: string[];
  /** What the person is asked before it runs, once that has been put; and what came of it. */
  questions: {
    asked: readonly Question[];
    round: number;
    expiresAt: number | null;
    isExpired: boolean;
    reply: { outcome: AnswerOutcome; answers: readonly Answer[] | null; reason: string | null; by: Actor } | null;
  } | null;
  /** It had begun when the driver that ran it was gone. */
  isInterrupted: boolean;
  result: ToolResult | null;
};

export type QueuedInput = {
  id: string;
  delivery: InputDelivery;
  content: UserPart[];
  /** What it asks of the turn that it starts. */
  options: TurnOptions;
  /** It says how the work should be done: it steers, interrupts or gives feedback. */
  isSteering: boolean;
  by: Actor;
};

/** After an answer that was cut: go on with the text; send one smaller call; come to the answer sooner. */
type Advice = { kind: 'continue' } | { kind: 'smaller_call'; tool: string } | { kind: 'answer' };

/** A turn that works toward a target: an iteration lasts until the agent comes to rest or says that it is done. */
export type Loop = {
  status: LoopStatus;
  /** From 1. */
  iteration: number;
  maxIterations: number;
  verify: string | null;
  /** Something was changed in this iteration. */
  hasProgressed: boolean;
  /** Iterations in a row, before this one, in which nothing was. */
  fruitless: number;
  /** Why the agent has to be told to go on. */
  rest: { kind: 'answer' } | { kind: 'refused_end' } | { kind: 'failed_check'; output: string } | null;
  /** The end that its agent put forward, until it is accepted or not. */
  proposed: { message: string; result?: Json } | null;
  /** The next end that is put forward counts: it was asked for a second look, or the check passed. */
  isAssessed: boolean;
};

/** Mails on their way, and mails that came. */
export type Mailbox = {
  outbox: (EventData['mail.sent'] & { attempts: number; retryAt: number | null })[];
  inbox: (EventData['mail.received'] & {
    receivedAt: number;
    isInHistory: boolean;
    /** The model has answered to a request that held it. */
    isRead: boolean;
    isAcknowledged: boolean;
  })[];
  /** The thread of each mail. */
  threadOf: Map<string, string>;
  /** Mails sent from here, by thread. */
  sentIn: Map<string, number>;
};

export type Turn = {
  number: number;
  by: Actor;
  startedAt: number;
  /** Steps begun so far. */
  step: number;
  /** `between` steps, waiting for the `model`, for `tools`, for room (`compacting`), or for a person's `review`. */
  phase: 'between' | 'model' | 'tools' | 'compacting' | 'review';
  /** What the agent of this step may: a switch takes effect at the next. */
  profile: AgentProfile | null;
  /** Which call of the model this step is at, from 1. */
  attempt: number;
  /** The step's model has answered with nothing once. */
  hasBeenEmpty: boolean;
  /** What the next request says beyond the history, which never keeps it. */
  advice: Advice | null;
  /** Answers in a row that the output limit cut, and whether the history was compacted for their sake. */
  cuts: number;
  hasCompactedForCut: boolean;
  /** Times in a row that the model found the request too long. */
  overflows: number;
  /** Why it cannot go on without a compaction, and how it ends if there can be none. */
  need: { cause: 'overflow' | 'cut'; ending: { outcome: TurnOutcome; message: string }; hasFailed: boolean } | null;
  /** Steps in a row in which no call was right. */
  malformedRounds: number;
  /** Its calls that have their result and that the model still sees, in the order in which they ended. */
  doneCalls: DoneCall[];
  calls: Call[];
  /** `inputs` are those that `queue` is about: what was queued when the cancel came. */
  cancel: { by: Actor; reason: string | null; queue: QueueDisposition; inputs: readonly string[] } | null;
  isOverTime: boolean;
  /** How the turn ends once nothing of it is open. */
  ending: { outcome: TurnOutcome; message: string; result?: Json } | null;
  review: boolean;
  /** What it was started with. */
  options: TurnOptions;
  /** The call that `toolChoice` forces has been made. */
  isChoiceMet: boolean;
  /** Requests of this step that took too long. */
  timeouts: number;
  /** Results that were not what was asked for. */
  wrongResults: number;
  /** The step of the last of them. */
  wrongStep: number | null;
  /** What the agent has to be told of the last one. */
  correction: string | null;
  loop: Loop | null;
  /** It was begun in the session that this one was forked from. */
  isForked: boolean;
  usage: Usage;
  costUsd: number | null;
  unattendedDenials: number;
};

/** A compaction that was begun; `ready` once its summary is there. */
export type Compaction = {
  number: number;
  cause: CompactionCause;
  /** The last message that the summary stands for. */
  through: string;
  /** What the window held when it began. */
  tokens: number;
  focus: string | null;
  /** No model is asked for its summary. */
  isMechanical: boolean;
  ready: Pick<EventData['compaction.summarised'], 'kind' | 'summary' | 'files' | 'recalled' | 'problem'> | null;
  /** The history under it is another one now. */
  isMoved: boolean;
};

export type Settings = {
  cwd: string;
  model: string;
  modelInfo: ModelInfo;
  agent: string;
  mode: PermissionMode;
  isAttended: boolean;
  rules: RuleSet;
  limits: Limits;
  metadata: Record<string, string>;
  origin?: Origin | undefined;
  /** What the agent may, where the host knows it. */
  profile?: AgentProfile | null | undefined;
  /** The mode to come back to after an agent with one of its own. */
  modeOfSession?: PermissionMode | undefined;
  /** Whether the system prompt is gathered. */
  gathersContext?: boolean | undefined;
  compaction: CompactionSettings;
  tasks?: EventData['session.created']['tasks'] | undefined;
  flows?: EventData['session.created']['flows'] | undefined;
};

export type State = {
  session: string;
  /** Sequence number of the last event. */
  seq: number;
  /** Time of the last event, Unix ms: the only clock the core knows. */
  now: number;
  createdAt: number;
  settings: Settings;
  messages: HistoryMessage[];
  /** Messages from here on have not been checked for repair. */
  checkedMessages: number;
  /** Digests of the images and documents in the history. */
  attachments: string[];
  /** Thinking in messages before this one was signed over a history that has changed since. */
  signedFrom: number;
  /** The first input: what the session is for. */
  task: string | null;
  /** What a person asked for last, where that began a turn. */
  asked: string | null;
  queue: QueuedInput[];
  /** Queued inputs wait for the next one that is sent. */
  isHeld: boolean;
  isPaused: boolean;
  stage: string | null;
  /** The agent's list, and the steps begun since it last changed. */
  todos: { items: readonly Todo[]; age: number };
  /** What the session noted, by key. */
  notes: Map<string, string>;
  /** Work that was delegated, in the order in which it was asked for. */
  tasks: Task[];
  /** Ends of work after which a rule starts more, until it has been asked for. */
  endings: Ending[];
  /** Whose task this is; null for a main session. */
  assignment: Assigned | null;
  /** Tools of a large set that the model has found. */
  offeredTools: readonly string[];
  /** The system prompt in its pieces, where it is gathered. */
  fragments: readonly Fragment[] | null;
  /** What `fragments` were last looked at for; null takes all anew. */
  gathered: { turn: number; agent: string } | null;
  /** Files that others changed: which versions the model was told of, and what it is told in which step. */
  foreignChanges: { told: Map<string, string | null>; paths: readonly string[]; turn: number; step: number };
  /** Context from outside that was put into the history: where it stands, and what it said. */
  hydrations: {
    region: 'hydrated' | 'entities';
    source: string;
    message: string;
    part: number;
    text: string;
    entries: number;
  }[];
  /** How often they were looked at. */
  gatherings: number;
  /** A plan that nobody was given yet. */
  plan: string | null;
  turns: number;
  turn: Turn | null;
  lastTurn: EventData['turn.ended'] | null;
  /** What the last turn was started with. */
  lastOptions: TurnOptions;
  mail: Mailbox;
  usage: Usage;
  costUsd: number | null;
  /** What the window holds: the last request and answer as counted by the provider, and what was added since. */
  window: { tokens: number; charactersSince: number };
  /** Digest of each file as the session last read or wrote it; null for deleted. */
  files: Map<string, string | null>;
  /** The files that it changed, the last one last. */
  edited: string[];
  /** What persons said that a compaction must keep word for word. */
  pins: Pin[];
  /** Results that were taken out of what the model sees. */
  trimmed: number;
  compaction: Compaction | null;
  /** `count` were begun, `applied` came to their end; `message` stands for the earlier conversation. */
  compactions: {
    count: number;
    applied: number;
    /** In a row. */
    failures: number;
    /** None is begun by itself for so many steps. */
    suspendedSteps: number;
    message: string | null;
    /** The summary in it. */
    summary: string | null;
  };
  /** Commands accepted so far: their fingerprint and the last event each caused. */
  commands: Map<string, { digest: string; seq: number }>;
};

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};

/** Steps: 20 (8 proved short in practice). Approvals: five minutes. Nothing else is limited unless asked for. */
export const defaultLimits: Limits = {
  steps: 20,
  durationMs: null,
  tokens: null,
  usd: null,
  sessionTokens: null,
  sessionUsd: null,
  approvalTimeoutMs: 300_000,
};

/** Limits with some of them changed. */
export function mergeLimits(limits: Limits, changes: NonNullable<EventData['session.configured']['limits']>): Limits {
  return merged(limits, changes);
}

/** Settings with some of them changed; what is undefined changes nothing. */
export function merged<Of extends object>(
  settings: Of,
  changes: { readonly [Name in keyof Of]?: Of[Name] | undefined },
): Of {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(given) };
}

export function emptyMailbox(): Mailbox {
  return { outbox: [], inbox: [], threadOf: new Map(), sentIn: new Map() };
}

/** The state before the first event. */
export function initialState(): State {
  return {
    session: '',
    seq: 0,
    now: 0,
    createdAt: 0,
    settings: {
      cwd: '',
      model: '',
      modelInfo: { contextTokens: 1, outputTokens: 1, isPriceKnown: false },
      agent: '',
      mode: 'manual',
      isAttended: false,
      rules: { deny: [], ask: [], allow: [] },
      limits: defaultLimits,
      metadata: {},
      compaction: defaultCompaction,
    },
    messages: [],
    checkedMessages: 0,
    attachments: [],
    signedFrom: 0,
    task: null,
    asked: null,
    queue: [],
    isHeld: false,
    isPaused: false,
    stage: null,
    todos: { items: [], age: 0 },
    notes: new Map(),
    tasks: [],
    endings: [],
    assignment: null,
    offeredTools: [],
    fragments: null,
    gathered: null,
    foreignChanges: { told: new Map(), paths: [], turn: 0, step: 0 },
    hydrations: [],
    gatherings: 0,
    plan: null,
    turns: 0,
    turn: null,
    lastTurn: null,
    lastOptions: {},
    mail: emptyMailbox(),
    usage: noUsage,
    costUsd: 0,
    window: { tokens: 0, charactersSince: 0 },
    files: new Map(),
    edited: [],
    pins: [],
    trimmed: 0,
    compaction: null,
    compactions: { count: 0, applied: 0, failures: 0, suspendedSteps: 0, message: null, summary: null },
    commands: new Map(),
  };
}
