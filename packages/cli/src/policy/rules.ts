/** The rules that hold in a folder and a session, each with where it stands. */
import { createHost, type Model, type RuleLayer, type SessionSummary, type Storage } from '@pawl/engine';
import { parseRule } from '@pawl/policy';
import type { PermissionMode, RuleSet, SessionView } from '@pawl/protocol';
import { type Config, readConfig } from '../config/config.ts';
import { projectConfigPath, userConfigPath } from '../config/paths.ts';
import { toolNames } from '../run/tools.ts';
import { findSession } from '../sessions/find.ts';
import { withLog } from '../sessions/open.ts';
import { parseFolder } from '../values.ts';

export type PolicyFlags = { session?: string; cwd?: string; json?: true };

export type Policy = {
  folder: string;
  mode: PermissionMode;
  config: Config;
  layers: readonly RuleLayer[];
  /** Where each layer's rules are written, by its name. */
  places: ReadonlyMap<string, string>;
  session: SessionSummary | null;
  warnings: readonly string[];
};

/** @throws `bad_config`, `no_session`, `usage`. */
export async function readPolicy({ session: named, cwd = '.' }: PolicyFlags): Promise<Policy> {
  const found = named === undefined ? null : await withLog((log) => sessionOf(log, named));
  const folder = found?.summary.cwd ?? parseFolder('-C', cwd);
  const config = await readConfig({ folder, tools: toolNames() });
  const layers = [
    { name: 'user', rules: config.rules },
    { name: 'project', rules: config.projectRules },
    ...(found?.view.profile == null
      ? []
      : [{ name: `agent ${found.view.profile.name}`, rules: found.view.profile.rules }]),
    ...(found === null ? [] : [{ name: 'session', rules: found.view.rules }]),
  ];
  const places = new Map([
    ['user', userConfigPath(process.env)],
    ['project', projectConfigPath(folder) ?? ''],
    ['session', found?.summary.session ?? ''],
  ]);
  return {
    folder,
    mode: found?.view.mode ?? config.mode ?? 'manual',
    config,
    layers,
    places,
    session: found?.summary ?? null,
    warnings: config.warnings,
  };
}

async function sessionOf(log: Storage, named: string): Promise<{ summary: SessionSummary; view: SessionView }> {
  const summary = await findSession(log, named);
  return { summary, view: await createHost({ log, model: noModel }).view(summary.session) };
}

/** To look at a session takes none. */
const noModel: Model = {
  id: 'none',
  info: { contextTokens: 1, outputTokens: 1, isPriceKnown: false },
  stream() {
    throw new Error('A session that is only looked at calls no model.');
  },
};

export const lists = ['deny', 'ask', 'allow'] as const;
export type List = keyof RuleSet;

/** Whether two rules are the same one, in whatever words. */
export function isSameRule(one: string, other: string): boolean {
  return one === other || parseRule(one).text === parseRule(other).text;
}
