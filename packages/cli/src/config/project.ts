/** What a project's file may settle: nothing that widens what Pawl does, before its content can be trusted. */

import { defaultLimits, taskSettingsOf } from '@pawl/engine';
import { isWiderMode } from '@pawl/protocol';
import type { Trust } from '../policy/trust.ts';
import { within } from './limits.ts';
import type { SettingsFile } from './schema/settings.ts';

/** What takes effect, and a line for each setting that does not. */
export type ProjectSettings = { settings: SettingsFile; ignored: readonly string[] };

/** Where a project's file counts: beside the user's settings. */
export type ProjectPlace = {
  user: SettingsFile;
  userPath: string;
  /** Whether the user has such a provider. */
  isKnown(provider: string): boolean;
  trust: Trust['state'];
};

/**
 * A project chooses among what the user has: models, pools, variants; and it narrows: denies, asks, smaller limits,
 * a stricter mode. What it ships besides and the user has trusted (allows, any mode, fields of requests) counts too. Keys
 * and addresses, which say where a conversation goes and what it costs, and ways out of the sandbox are the user's alone.
 */
export function restrictProject(
  written: SettingsFile,
  { user, userPath, isKnown, trust }: ProjectPlace,
): ProjectSettings {
  const {
    providers = {},
    models,
    pools = {},
    variants,
    rules,
    limits,
    tasks,
    flows = [],
    mode,
    model,
    sandbox,
    sandboxNetwork,
    compaction,
  } = written;
  const ignored: string[] = [];
  const ignore = (place: string, why: string) =>
    ignored.push(`${place}: ignored, because ${why}. Put it into ${userPath}.`);
  const isTrusted = trust === 'trusted';
  const why = trust === 'changed' ? 'the project has changed since you trusted it' : 'you have not trusted it';
  const ignoreUntrusted = (place: string) =>
    ignored.push(`${place}: ignored, because ${why}. Look at it with: pawl trust`);
  /** The provider of a model that only the project itself tells of, or null. */
  const foreign = (id: string) => Object.keys(providers).find((name) => id.startsWith(`${name}/`) && !isKnown(name));
  const settings: SettingsFile = { ...(compaction !== undefined && { compaction }) };
  const narrowed = <Of extends object, Given extends Partial<Of>>(
    name: string,
    given: Given,
    own: Partial<Of>,
    usual: Of,
  ): Given => {
    const { kept, wider } = within(given, { ...usual, ...own });
    // What the user has settled is no surprise.
    for (const limit of wider.filter((each) => !(each in own)))
      ignore(`${name}.${limit}`, 'a project may only make limits smaller');
    return kept;
  };
  if (limits !== undefined) settings.limits = narrowed('limits', limits, user.limits ?? {}, defaultLimits);
  if (tasks !== undefined) settings.tasks = narrowed('tasks', tasks, user.tasks ?? {}, taskSettingsOf({}));
  if (flows.length > 0) {
    if (isTrusted) settings.flows = flows;
    else ignoreUntrusted('flows');
  }
  const kept = Object.entries(pools).filter(([name, chain]) => {
    const provider = chain.map(foreign).find((one) => one !== undefined);
    if (provider !== undefined) ignore(`pools.${name}`, `the provider ${provider} is only in the project’s file`);
    return provider === undefined;
  });
  settings.pools = Object.fromEntries(kept);
  for (const [name, provider] of Object.entries(providers)) {
    if (provider.keys === undefined) ignore(`providers.${name}`, 'a project may not say where conversations go');
    else ignore(`providers.${name}.keys`, 'keys never belong into a project’s file');
  }
  if (models !== undefined) ignore('models', 'a project may not say what models cost and take');
  if (rules !== undefined) {
    const { allow = [], deny = [], ask = [] } = rules;
    if (allow.length > 0 && !isTrusted) ignoreUntrusted('rules.allow');
    settings.rules = { deny, ask, ...(isTrusted && { allow }) };
  }
  if (isWiderMode(mode) && !isTrusted) ignoreUntrusted('mode');
  else if (mode !== undefined) settings.mode = mode;
  if (sandbox === 'off') ignore('sandbox', 'a project may not let its commands out');
  else if (sandbox !== undefined) settings.sandbox = sandbox;
  if (sandboxNetwork === 'on') ignore('sandboxNetwork', 'a project may not let its commands out');
  else if (sandboxNetwork !== undefined) settings.sandboxNetwork = sandboxNetwork;
  for (const name of ['sandboxHome', 'sandboxLimits'] as const) {
    if (written[name] !== undefined) ignore(name, 'a project may not widen the sandbox');
  }
  if (model !== undefined) {
    const isLost =
      foreign(model) !== undefined || (Object.hasOwn(pools, model) && kept.every(([name]) => name !== model));
    if (model.startsWith('replay:')) ignore('model', 'a recording that a project ships is no model to trust');
    else if (isLost) ignore('model', 'its provider is only in the project’s file');
    else settings.model = model;
  }
  if (written.approvers !== undefined) ignore('approvers', 'a project may not say who approves');
  if (variants !== undefined) {
    const entries = Object.entries(variants);
    for (const [name, { body }] of entries) {
      if (body !== undefined && !isTrusted) ignoreUntrusted(`variants.${name}`);
    }
    settings.variants = Object.fromEntries(entries.filter(([, { body }]) => body === undefined || isTrusted));
  }
  return { settings, ignored };
}
