import type { z } from 'zod';
import type * as commands from './schemas/commands.ts';
import type * as compaction from './schemas/compaction.ts';
import type * as content from './schemas/content.ts';
import type * as events from './schemas/events.ts';
import type * as judgement from './schemas/judgement.ts';
import type * as mailing from './schemas/mail.ts';
import type * as origins from './schemas/origin.ts';
import type * as settings from './schemas/settings.ts';
import type * as surroundings from './schemas/surroundings.ts';
import type * as tasks from './schemas/tasks.ts';
import type * as turnOptions from './schemas/turn-options.ts';
import type * as work from './schemas/work.ts';

/** Anything that JSON can hold. */
export type Json = z.infer<z.ZodJSONSchema>;
export type JsonObject = { [key: string]: Json };

export type TextPart = z.infer<typeof content.textPart>;
export type ThinkingPart = z.infer<typeof content.thinkingPart>;
export type ToolCallPart = z.infer<typeof content.toolCallPart>;
export type FilePart = z.infer<typeof content.filePart>;
export type UserPart = z.infer<typeof content.userPart>;
/** One try of a model call that did not give the answer. */
export type Attempt = z.infer<typeof content.attempt>;
export type AssistantPart = z.infer<typeof content.assistantPart>;
export type Usage = z.infer<typeof content.usage>;
export type StopReason = z.infer<typeof content.stopReason>;
export type ToolStatus = z.infer<typeof content.toolStatus>;
export type ToolResult = z.infer<typeof content.toolResult>;
export type UserMessage = z.infer<typeof content.userMessage>;
export type AssistantMessage = z.infer<typeof content.assistantMessage>;
export type ToolMessage = z.infer<typeof content.toolMessage>;
/** One entry of the history that a model sees. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export type PermissionMode = z.infer<typeof settings.permissionMode>;
export type RuleSet = z.infer<typeof settings.ruleSet>;
export type Limits = z.infer<typeof settings.limits>;
/** What the agent of this name may call, under which rules. */
export type AgentProfile = z.infer<typeof settings.agentProfile>;
/** One piece of the system prompt. */
export type Fragment = z.infer<typeof surroundings.fragment>;
export type ModelInfo = z.infer<typeof settings.modelInfo>;
export type CompactionSettings = z.infer<typeof compaction.compactionSettings>;
export type CompactionCause = z.infer<typeof compaction.compactionCause>;

/** For whom a session works, where it came in, and which step of which workflow it is. */
export type Origin = z.infer<typeof origins.origin>;
/** Whether the model calls tools: as it likes, at least one, none, or this one. */
export type ToolChoice = z.infer<typeof turnOptions.toolChoice>;
/** What an input asks of the turn that it starts. */
export type TurnOptions = z.infer<typeof turnOptions.turnOptions>;
/** Where a turn that works toward a target stands. */
export type LoopStatus = z.infer<typeof turnOptions.loopStatus>;
/** What a session writes to another one. */
export type MailDraft = z.infer<typeof mailing.mailDraft>;
/** A mail on its way. */
export type Mail = z.infer<typeof mailing.mail>;

export type Actor = z.infer<typeof events.actor>;
export type TurnOutcome = z.infer<typeof events.turnOutcome>;
export type ToolEffect = z.infer<typeof judgement.toolEffect>;
export type InputDelivery = z.infer<typeof events.inputDelivery>;
export type QueueDisposition = z.infer<typeof events.queueDisposition>;
export type Failure = z.infer<typeof events.failure>;
export type Preview = z.infer<typeof judgement.preview>;
export type Verdict = z.infer<typeof judgement.verdict>;
export type Judgement = z.infer<typeof judgement.judgement>;
export type ApprovalDecision = z.infer<typeof events.approvalDecision>;
export type Repair = z.infer<typeof events.repair>;

export type Question = z.infer<typeof work.question>;
export type Answer = z.infer<typeof work.answer>;
export type AnswerOutcome = z.infer<typeof work.answerOutcome>;
export type Todo = z.infer<typeof work.todo>;
export type Approvers = z.infer<typeof work.approvers>;

export type Allotment = z.infer<typeof tasks.allotment>;
export type TaskEnvelope = z.infer<typeof tasks.envelope>;
export type TaskOutcome = z.infer<typeof tasks.taskOutcome>;
/** Where a task stands, from being asked for to its end. */
export type TaskStatus = 'queued' | z.infer<typeof tasks.taskStatus> | Exclude<TaskOutcome, 'blocked'>;
export type TaskSettings = z.infer<typeof tasks.taskSettings>;
export type Flow = z.infer<typeof tasks.flow>;
export type Assignment = z.infer<typeof tasks.assignment>;

type DataOf<Shapes extends Record<string, z.ZodType>> = { [Type in keyof Shapes]: z.infer<Shapes[Type]> };
export type EventData = DataOf<typeof events.eventData>;
export type TransientData = DataOf<typeof events.transientData>;
/** Data of commands as they are accepted, with defaults filled in. */
export type CommandData = DataOf<typeof commands.commandData>;
/** Data of commands as a client may write them. */
export type CommandInput = { [Type in keyof CommandData]: z.input<(typeof commands.commandData)[Type]> };

export type EventType = keyof EventData;
export type TransientType = keyof TransientData;
export type CommandType = keyof CommandData;

/** What is new in an event, before the session gives it its place: a type and its data. */
export type EventBody = { [Type in EventType]: { type: Type; data: EventData[Type] } }[EventType];
export type TransientBody = { [Type in TransientType]: { type: Type; data: TransientData[Type] } }[TransientType];

/** A fact in a session's log. `seq` is 1, 2, 3… without gaps; `at` is Unix milliseconds. */
export type DurableEvent = EventBody & { seq: number; at: number; session: string; version?: number; by: Actor };
/** Broadcast and never stored; number `n` after the durable event `after`. */
export type TransientEvent = TransientBody & { after: number; n: number; session: string };
export type PawlEvent = DurableEvent | TransientEvent;

/** What a client asks of a session. The same id twice is accepted once and answered alike. */
export type Command = {
  [Type in CommandType]: {
    id: string;
    session: string;
    by: { kind: 'human' | 'agent'; id: string };
    type: Type;
    data: CommandData[Type];
  };
}[CommandType];

/** The answer to an accepted command: the last event that it caused, and whether it had been accepted before. */
export type Receipt = { seq: number; isDuplicate: boolean };

/** Where a client stands in a session's events: after durable event `seq`, transient number `n`. */
export type Cursor = { seq: number; n?: number };

export type SessionStatus = 'idle' | 'running' | 'awaiting_approval' | 'awaiting_answer' | 'paused';

/** How full the model's window is, and where the turn stands. */
export type ContextLine = {
  tokens: number;
  limitTokens: number;
  percent: number;
  step: number;
  maxSteps: number;
  messages: number;
  /** What a request may hold without the answer that is kept free for, and some room to spare. */
  usableTokens: number;
  /** How often the history was compacted. */
  compactions: number;
  isCompacting: boolean;
};

/** A task as its owner knows it. */
export type TaskView = {
  task: string;
  session: string;
  agent: string;
  status: TaskStatus;
  isStalled: boolean;
  prompt: string;
  /** How often it has been worked at. */
  instance: number;
  /** How it ended, once it has. */
  message: string | null;
  costUsd: number | null;
};

export type PendingApproval = EventData['approval.requested'];
export type PendingQuestions = EventData['question.asked'];

/** A session at one moment, for showing. */
export type SessionView = {
  session: string;
  seq: number;
  status: SessionStatus;
  stage: string | null;
  cwd: string;
  model: string;
  agent: string;
  mode: PermissionMode;
  /** What the agent may, where the host knows it. */
  profile: AgentProfile | null;
  /** A plan that waits for somebody to say who carries it out. */
  plan: string | null;
  createdAt: number;
  updatedAt: number;
  origin: Origin;
  metadata: Record<string, string>;
  turn: {
    number: number;
    step: number;
    startedAt: number;
    /** Of a turn with a target. */
    loop?: { status: LoopStatus; iteration: number; maxIterations: number };
  } | null;
  lastTurn: EventData['turn.ended'] | null;
  queue: { input: string; delivery: InputDelivery; text: string }[];
  approvals: PendingApproval[];
  questions: PendingQuestions[];
  todos: Todo[];
  tasks: TaskView[];
  /** How much mail of it is not delivered yet. */
  mailUnderWay: number;
  rules: RuleSet;
  limits: Limits;
  usage: Usage;
  costUsd: number | null;
  context: ContextLine;
};
