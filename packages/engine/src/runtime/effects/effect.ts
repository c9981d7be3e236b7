import type { RuleLayer } from '@pawl/policy';
import type { DurableEvent, TransientBody } from '@pawl/protocol';
import type { Effect, Outcome, State } from '../../core/index.ts';
import type { Agents, BlobStore, Clock, ContextSource, Model, Redactor, Surroundings } from '../../ports.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Attachments } from '../attachments.ts';
import type { Children } from '../children.ts';
import type { EarlyCalls } from '../early-calls.ts';
import type { LiveSession } from '../live-session.ts';
import type { MailDelivery } from '../mail-delivery.ts';
import type { RequestMiddleware, ToolMiddleware } from '../middleware.ts';
import type { PromptSet } from '../prompts.ts';
import type { ApproverRoutes } from './approvers.ts';

/** The ports that effects use. */
export type EffectPorts = {
  clock: Clock;
  blobs: BlobStore;
  attachments: Attachments;
  tools: Registry;
  /** The model behind a name such as `anthropic/claude-sonnet-4-5`. @throws `unknown_model`, `no_key`. */
  modelFor(name: string): Promise<Model>;
  /** Rules from outside the session, each with the name of where it comes from. */
  ruleLayers: readonly RuleLayer[];
  /** Who is asked for which approvals; without it, everybody is asked for all. */
  approvers?: ApproverRoutes;
  /** The system prompt of sessions whose surroundings are not gathered. */
  system(state: Readonly<State>): string;
  requestMiddleware: readonly RequestMiddleware[];
  toolMiddleware: readonly ToolMiddleware[];
  /** Adds context to a session, if it is driven here. */
  notify(session: string, text: string): void;
  redactor: Redactor;
  /** Carries mail to other sessions. */
  mail: MailDelivery;
  /** The agents that there are; without, a session's agent is a name and no more. */
  agents?: Agents;
  surroundings?: Surroundings;
  /** Whether the system prompt is gathered, and not given whole. */
  gathersPrompt: boolean;
  /** Context from outside. */
  contextSources: readonly ContextSource[];
  /** Pieces of the prompt that were set at runtime. */
  prompts?: PromptSet;
  /** Notes of earlier sessions about this, in words for a model. */
  recall?: (query: string, cwd?: string) => Promise<readonly string[]>;
  /** The bytes of a file, to be shown again after a compaction. Rejects if it cannot be read. */
  readFile(path: string): Promise<Uint8Array>;
  /** The template by which summaries are asked for, if it is not the engine's own. */
  summaryPrompt?: string;
  /** All that was logged of a session. */
  readLog(session: string): Promise<readonly DurableEvent[]>;
  /** The sessions of tasks. */
  children: Children;
  /** The session itself, as it is driven here; null when it is not any more. */
  session(id: string): Promise<LiveSession | null>;
};

/** What a running effect uses to read the session, to report, and to learn that it is no longer owed. */
export type EffectContext = {
  ports: EffectPorts;
  state: Readonly<State>;
  /** Aborts when the effect is no longer owed, or is owed as `stop`; the reason says who and why. */
  signal: AbortSignal;
  /** Resolves, when the outcome is durable, to whether it counted. Rejects if it could not be written. */
  report(outcome: Outcome): Promise<boolean>;
  broadcast(body: TransientBody): void;
  /** Calls that were started before their answer was whole. */
  speculation: EarlyCalls;
};

export type Runner<Kind extends Effect['kind']> = (
  effect: Extract<Effect, { kind: Kind }>,
  context: EffectContext,
) => Promise<void>;

/** One for each kind of effect. */
export type Runners = { [Kind in Effect['kind']]: Runner<Kind> };
