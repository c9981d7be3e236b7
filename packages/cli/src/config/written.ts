import type { ModelsSettings } from '@pawl/models/select';
import type { CompactionSettings, Flow, Limits, PermissionMode, RuleSet, TaskSettings } from '@pawl/protocol';
import type { SandboxLimits, SandboxMode } from '@pawl/tools';

/** A settings file as it is written, once it has been held against the schema. */
export type Written = {
  model?: string;
  mode?: PermissionMode;
  sandbox?: SandboxMode;
  /** Hosts are written as in `web_fetch(…)`. */
  sandboxNetwork?: 'on' | 'off' | string[];
  /** Absolute, or relative to the home. */
  sandboxHome?: string[];
  sandboxLimits?: Partial<SandboxLimits>;
  rules?: Partial<RuleSet>;
  limits?: Partial<Limits>;
  tasks?: Partial<TaskSettings>;
  flows?: Flow[];
  compaction?: Partial<CompactionSettings>;
  approvers?: { groups: { [group: string]: string[] }; routes: { rule: string; group: string }[] };
} & ModelsSettings;
