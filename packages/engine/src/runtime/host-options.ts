/** What a host is made with. */
import type { RuleLayer } from '@pawl/policy';
import type { Flow, TaskSettings } from '@pawl/protocol';
import type { State } from '../core/index.ts';
import type {
  Agent,
  Agents,
  BlobStore,
  Clock,
  ContextSource,
  MailRules,
  Memory,
  Model,
  Redactor,
  SessionLog,
  Surroundings,
  ToolDefinition,
} from '../ports.ts';
import type { Registry } from '../registry/registry.ts';
import type { createAttachments } from './attachments.ts';
import type { ApproverRoutes } from './effects/approvers.ts';
import type { EffectPorts, Runners } from './effects/effect.ts';
import type { RequestMiddleware, ToolMiddleware } from './middleware.ts';
import type { Core } from './session.ts';

export type HostOptions = {
  /** Where sessions live: `sqliteLog({ path })`, `memoryLog()`, or your own. */
  log: SessionLog;
  /** Where large bodies live; the log itself if it can. */
  blobs?: BlobStore;
  /** The model of sessions that name none. */
  model: Model;
  /** Finds other models by name, for sessions that name one or switch. */
  models?: (name: string) => Model | Promise<Model>;
  tools?: readonly ToolDefinition[] | Registry;
  /** Rules above the session's own, each with the name of where it comes from. */
  rules?: readonly RuleLayer[];
  /** Groups of people, and which approvals go to which. Without, every person is asked for all. */
  approvers?: ApproverRoutes;
  /** The agents that sessions can use. Without it, an agent is only a name. */
  agents?: readonly Agent[] | Agents;
  /** Makes the system prompt of sessions that begin here; `surroundings` in `@pawl/tools`, or your own. */
  surroundings?: Surroundings;
  /** Context from outside for the turns of sessions that begin here: retrievals, a knowledge graph. */
  context?: readonly ContextSource[];
  /** Notes that outlast sessions; a compaction recalls them. */
  memory?: Memory;
  /** The whole system prompt; then nothing is gathered. */
  system?: string | ((state: Readonly<State>) => string);
  /** How sessions delegate: how deep, how many at once, for how long. */
  tasks?: Partial<TaskSettings>;
  /** Rules that start work when work ends. */
  flows?: readonly Flow[];
  /** Around every call of a model; the first is the outermost. */
  requestMiddleware?: readonly RequestMiddleware[];
  /** Around every run of a tool; the first is the outermost. */
  toolMiddleware?: readonly ToolMiddleware[];
  /** Takes secrets out of what tools say. */
  redactor?: Redactor;
  /** Which sessions may write to each other; without, none. */
  mail?: MailRules;
  /** The template by which summaries of a long history are asked for; see `defaultSummaryPrompt`. */
  summaryPrompt?: string;
  clock?: Clock;
  /** Makes ids of sessions. */
  createId?: () => string;
  /** Replaces parts of the engine, to prove that tests find what is broken. */
  internals?: {
    core?: Partial<Core>;
    runners?: Partial<Runners>;
    attachments?: typeof createAttachments;
    readFile?: EffectPorts['readFile'];
  };
};
