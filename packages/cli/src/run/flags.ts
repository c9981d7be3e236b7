/** What the flags of a run ask for, checked before anything is opened. */
import { parseRule } from '@pawl/policy';
import type { CompactionSettings, Limits, PermissionMode, RuleSet, TurnOptions } from '@pawl/protocol';
import { bounds } from '@pawl/protocol';
import type { SandboxMode } from '@pawl/tools';
import { defaultAgent } from '../agents/check.ts';
import type { Traffic } from '../models.ts';
import type { Shown } from '../output/detail.ts';
import { usageError } from '../usage-error.ts';
import { parseCount, parseDollars, parseDuration, parseFolder } from '../values.ts';
import { type Origin, readOrigin } from './origin.ts';
import { readTurnFlags, type TurnFlags } from './turn-flags.ts';

/** As commander gives them. */
export type RunFlags = {
  prompt?: string | true;
  model?: string;
  cwd?: string;
  agent?: string;
  permissionMode?: PermissionMode;
  sandbox?: SandboxMode;
  allow?: string[];
  ask?: string[];
  deny?: string[];
  outputFormat: OutputFormat;
  inputFormat?: InputFormat;
  attended?: true;
  sessionTokens?: string;
  sessionUsd?: string;
  verbose?: true;
  showThinking?: true;
  maxSteps?: string;
  maxDuration?: string;
  maxTokens?: string;
  maxUsd?: string;
  continue?: true;
  resume?: string;
  sessionId?: string;
  record?: string;
  replayAny?: true;
  attach?: string[];
  user?: string;
  channel?: string;
  workflow?: string;
  meta?: string[];
  executePlan?: true | string;
} & TurnFlags;

const outputFormats = ['text', 'json', 'stream-json'] as const;
export type OutputFormat = (typeof outputFormats)[number];
/** What comes on standard input: text that belongs to the prompt, or commands. */
type InputFormat = 'text' | 'stream-json';

export type RunOptions = {
  model: string | null;
  /** Absolute; the folder that was named, or the one that the command runs in. */
  cwd: string;
  agent: string | null;
  mode: PermissionMode | null;
  sandbox: SandboxMode | null;
  rules: RuleSet;
  limits: Partial<Limits>;
  /** When a new session's history is compacted; null as the engine has it. */
  compaction: Partial<CompactionSettings> | null;
  outputFormat: OutputFormat;
  inputFormat: InputFormat;
  /** Whether calls that must be asked about wait for somebody at another terminal. */
  isAwaited: boolean;
  /** How much of the run people are shown. */
  detail: Shown;
  session: { kind: 'new'; id: string | null } | { kind: 'newest' } | { kind: 'named'; id: string };
  traffic: Traffic;
  /** What is asked of the turn. */
  turn: TurnOptions;
  /** For whom a new session works. */
  origin: Origin;
  /** Paths of files that go with the prompt, as they were given. */
  attach: readonly string[];
  /** The agent that is to carry out the session's plan, or null. */
  executesAs: string | null;
};

/** The most steps that a turn can be given. */

/** @throws `usage`, `bad_rule`. */
export function readFlags(flags: RunFlags): RunOptions {
  const { model, cwd, agent, permissionMode, allow = [], ask = [], deny = [], outputFormat, record } = flags;
  if (cwd !== undefined && flags.resume !== undefined) {
    throw usageError('A session keeps its folder: -C/--cwd cannot be used with -r/--resume.');
  }
  if (model !== undefined && model.trim() === '') throw usageError('-m/--model: the name is empty.');
  for (const rule of [...allow, ...ask, ...deny]) parseRule(rule);
  const { maxSteps, maxDuration, maxTokens, maxUsd, inputFormat = 'text' } = flags;
  if (inputFormat === 'stream-json' && outputFormat !== 'stream-json') {
    throw usageError('--input-format stream-json goes with --output-format stream-json.');
  }
  return {
    model: model ?? null,
    cwd: parseFolder('-C/--cwd', cwd ?? '.'),
    agent: agent ?? null,
    mode: permissionMode ?? null,
    sandbox: flags.sandbox ?? null,
    rules: { allow, ask, deny },
    limits: {
      ...(maxSteps !== undefined && { steps: parseCount('--max-steps', maxSteps, bounds.maxSteps) }),
      ...(maxDuration !== undefined && { durationMs: parseDuration('--max-duration', maxDuration) }),
      ...(maxTokens !== undefined && { tokens: parseCount('--max-tokens', maxTokens) }),
      ...(maxUsd !== undefined && { usd: parseDollars('--max-usd', maxUsd) }),
      ...readBudget(flags),
    },
    compaction: null,
    outputFormat,
    inputFormat,
    isAwaited: flags.attended === true,
    detail: {
      isVerbose: flags.verbose === true,
      showsThinking: flags.verbose === true || flags.showThinking === true,
    },
    session: wantedSession(flags),
    traffic: { record: record ?? null, playsAny: flags.replayAny === true },
    turn: readTurnFlags(flags),
    origin: readOrigin(flags),
    attach: flags.attach ?? [],
    executesAs: executorIn(flags),
  };
}

/** What the session may spend in all. @throws `usage`. */
export function readBudget({ sessionTokens, sessionUsd }: { sessionTokens?: string; sessionUsd?: string }) {
  return {
    ...(sessionTokens !== undefined && { sessionTokens: parseCount('--session-tokens', sessionTokens) }),
    ...(sessionUsd !== undefined && { sessionUsd: parseDollars('--session-usd', sessionUsd) }),
  };
}

function executorIn({ executePlan, agent, resume, continue: newest }: RunFlags): string | null {
  if (executePlan === undefined) return null;
  if (resume === undefined && newest === undefined) {
    throw usageError('--execute-plan goes with -r/--resume or -c/--continue: name the session that has the plan.');
  }
  if (agent !== undefined) throw usageError('--execute-plan <agent> says who carries it out; leave --agent out.');
  return executePlan === true ? defaultAgent : executePlan;
}

function wantedSession({ resume, continue: newest, sessionId }: RunFlags): RunOptions['session'] {
  if (resume !== undefined) return { kind: 'named', id: resume };
  if (newest === true) return { kind: 'newest' };
  if (sessionId !== undefined && !/^[A-Za-z0-9_-]{1,64}$/.test(sessionId)) {
    throw usageError(`--session-id: "${sessionId}" cannot name a session: use up to 64 letters, digits, "-" and "_".`);
  }
  return { kind: 'new', id: sessionId ?? null };
}
