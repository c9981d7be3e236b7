import type { ModelsSettings } from '@pawl/models/select';
import type { CompactionSettings, Flow, Limits, PermissionMode, RuleSet, TaskSettings } from '@pawl/protocol';
import type { SandboxMode } from '@pawl/tools';

/** A settings file as it is written, once it has been held against the schema. */
export type Written = {
  model?: string;
  mode?: PermissionMode;
  sandbox?: SandboxMode;
  /** Hosts are written as in `web_fetch(…)`. */
  sandboxNetwork?: 'on' | 'off' | string[];
  rules?: Partial<RuleSet>;
  limits?: Partial<Limits>;
  tasks?: Partial<TaskSettings>;
  flows?: Flow[];
  compaction?: Partial<CompactionSettings>;
  approvers?: { groups: { [group: string]: string[] }; routes: { rule: string; group: string }[] };
} & ModelsSettings;
