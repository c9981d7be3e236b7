/** What we know of a session: the fold of its log. Plain data; only `evolve` changes it. */
import type {
  Actor,
  AgentProfile,
  Answer,
  AnswerOutcome,
  EventData,
  Fragment,
  InputDelivery,
  Json,
  JsonObject,
  Judgement,
  Limits,
  Message,
  ModelInfo,
  PermissionMode,
  Question,
  QueueDisposition,
  RuleSet,
  Todo,
  ToolEffect,
  ToolResult,
  TurnOutcome,
  Usage,
  UserPart,
} from '@pawl/protocol';

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
  review: boolean;
  by: Actor;
};

/** After an answer that was cut: go on with the text; send one smaller call; come to the answer sooner. */
type Advice = { kind: 'continue' } | { kind: 'smaller_call'; tool: string } | { kind: 'answer' };

export type Turn = {
  number: number;
  by: Actor;
  startedAt: number;
  /** Steps begun so far. */
  step: number;
  /** `between` steps, waiting for the `model`, for `tools`, or for a person's `review`. */
  phase: 'between' | 'model' | 'tools' | 'review';
  /** Which call of the model this step is at, from 1. */
  attempt: number;
  /** The step's model has answered with nothing once. */
  hasBeenEmpty: boolean;
  /** What the next request says beyond the history, which never keeps it. */
  advice: Advice | null;
  /** Answers in a row that the output limit cut. */
  cuts: number;
  /** Steps in a row in which no call was right. */
  malformedRounds: number;
  calls: Call[];
  /** `inputs` are those that `queue` is about: what was queued when the cancel came. */
  cancel: { by: Actor; reason: string | null; queue: QueueDisposition; inputs: readonly string[] } | null;
  isOverTime: boolean;
  /** How the turn ends once nothing of it is open. */
  ending: { outcome: TurnOutcome; message: string; result?: Json } | null;
  review: boolean;
  /** What the agent may, as it was when the step began: what the model is told of follows from it. */
  profile: AgentProfile | null;
  /** It was begun in the session that this one was forked from. */
  isForked: boolean;
  usage: Usage;
  costUsd: number | null;
  unattendedDenials: number;
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
  /** What the agent may, where the host knows it. */
  profile?: AgentProfile | null | undefined;
  /** The mode to come back to after an agent with one of its own. */
  modeOfSession?: PermissionMode | undefined;
  /** Whether the system prompt is gathered. */
  gathersContext?: boolean | undefined;
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
  queue: QueuedInput[];
  /** Queued inputs wait for the next one that is sent. */
  isHeld: boolean;
  isPaused: boolean;
  stage: string | null;
  /** The agent's list, and the steps begun since it last changed. */
  todos: { items: readonly Todo[]; age: number };
  /** What the session noted, by key. */
  notes: Map<string, string>;
  /** Tools of a large set that the model has found. */
  offeredTools: readonly string[];
  /** The system prompt in its pieces, where it is gathered. */
  fragments: readonly Fragment[] | null;
  /** What `fragments` were last looked at for; null takes all anew. */
  gathered: { turn: number; agent: string } | null;
  /** How often they were looked at. */
  gatherings: number;
  /** A plan that nobody was given yet. */
  plan: string | null;
  turns: number;
  turn: Turn | null;
  lastTurn: EventData['turn.ended'] | null;
  usage: Usage;
  costUsd: number | null;
  /** What the window holds: the last request and answer as counted by the provider, and what was added since. */
  window: { tokens: number; charactersSince: number };
  /** The last calls and their results, since the last successful write: what the loop check looks at. */
  recentCalls: { key: string; result: string }[];
  /** Digest of each file as the session last read or wrote it; null for deleted. */
  files: Map<string, string | null>;
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
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...limits, ...Object.fromEntries(given) };
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
    },
    messages: [],
    checkedMessages: 0,
    attachments: [],
    signedFrom: 0,
    task: null,
    queue: [],
    isHeld: false,
    isPaused: false,
    stage: null,
    todos: { items: [], age: 0 },
    notes: new Map(),
    offeredTools: [],
    fragments: null,
    gathered: null,
    gatherings: 0,
    plan: null,
    turns: 0,
    turn: null,
    lastTurn: null,
    usage: noUsage,
    costUsd: 0,
    window: { tokens: 0, charactersSince: 0 },
    recentCalls: [],
    files: new Map(),
    commands: new Map(),
  };
}
