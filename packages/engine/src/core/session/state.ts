import type {
  AgentProfile,
  CompactionSettings,
  EventData,
  Limits,
  ModelInfo,
  Origin,
  PermissionMode,
  RuleSet,
} from '@pawl/protocol';

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

export type SessionState = {
  createdAt: number;
  settings: Settings;
  isPaused: boolean;
  isArchived: boolean;
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

export const defaultCompaction: CompactionSettings = { isOn: true, threshold: 0.75 };

export const initialSession = (): SessionState => ({
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
  isPaused: false,
  isArchived: false,
});

/** Limits with some of them changed. */
export function mergeLimits(limits: Limits, changes: NonNullable<EventData['session.configured']['limits']>): Limits {
  return mergeDefined(limits, changes);
}

/** Settings with some of them changed; what is undefined changes nothing. */
export function mergeDefined<Of extends object>(
  settings: Of,
  changes: { readonly [Name in keyof Of]?: Of[Name] | undefined },
): Of {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(given) };
}
