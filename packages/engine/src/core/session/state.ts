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
  /** What the agent may do, where the host knows it. */
  profile?: AgentProfile | null | undefined;
  /** The mode to return to after an agent that has its own. */
  modeOfSession?: PermissionMode | undefined;
  /** Whether surroundings are gathered before a turn. */
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

/** Settings with some of them changed; a change that is undefined changes nothing. */
export function mergeDefined<Of extends object>(
  settings: Of,
  changes: { readonly [Name in keyof Of]?: Of[Name] | undefined },
): Of {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(given) };
}
