/** Whether settings mean something: models, pools and rules that exist. The schema knows only their form. */
import {
  type ModelsSettings,
  parseModelName,
  providerNames,
  resolveProvider,
  suggestion,
  variantsOf,
} from '@pawl/models/select';
import { parseRule, problemOfHost } from '@pawl/policy';
import { messageOf } from '@pawl/protocol';
import type { SettingsFile } from './schema/settings.ts';

/** The first mistake in `written`, as `place: what`, or null; `all` are the settings that hold together with it. */
export function firstMistake(written: SettingsFile, all: ModelsSettings): string | null {
  for (const mistake of mistakes(written, all)) return mistake;
  return null;
}

function* mistakes(
  { rules, pools, models, providers, model, approvers, sandboxNetwork }: SettingsFile,
  all: ModelsSettings,
): Generator<string> {
  for (const [list, texts] of Object.entries(rules ?? {})) {
    for (const [index, text] of texts.entries()) {
      const problem = problemOfRule(text);
      if (problem !== null) yield `rules.${list}.${index}: ${problem}`;
    }
  }
  for (const [index, host] of Array.isArray(sandboxNetwork) ? sandboxNetwork.entries() : []) {
    const problem = problemOfHost(host);
    if (problem !== null) yield `sandboxNetwork.${index}: ${problem}`;
  }
  for (const [index, { rule, group }] of (approvers?.routes ?? []).entries()) {
    const problem = problemOfRule(rule);
    if (problem !== null) yield `approvers.routes.${index}.rule: ${problem}`;
    const groups = Object.keys(approvers?.groups ?? {});
    if (!groups.includes(group)) {
      yield `approvers.routes.${index}.group: there is no group "${group}".${suggestion(group, groups)}`;
    }
  }
  for (const name of Object.keys(providers ?? {})) {
    const problem = problemOf(() => resolveProvider(name, all, {}));
    if (problem !== null) yield problem;
    else if (providers?.[name]?.dialect !== undefined && !speaksChat(name, all))
      yield `providers.${name}.dialect: ${onlyChat}`;
  }
  for (const id of Object.keys(models ?? {})) {
    const problem = problemOfModel(id, all);
    if (problem !== null) yield `models.${id}: ${problem}`;
    else if (models?.[id]?.dialect !== undefined && !speaksChat(id.slice(0, id.indexOf('/')), all))
      yield `models.${id}.dialect: ${onlyChat}`;
    else if (parseModelName(id)?.variant !== null) yield `models.${id}: leave the variant out, it is a setting below`;
  }
  for (const [name, chain] of Object.entries(pools ?? {})) {
    for (const [index, id] of chain.entries()) {
      const problem = problemOfEntry(id, chain.slice(0, index), all);
      if (problem !== null) yield `pools.${name}.${index}: ${problem}`;
    }
  }
  if (model === undefined || model === 'demo' || model.startsWith('replay:')) return;
  if (Object.hasOwn(all.pools ?? {}, model)) return;
  const problem = problemOfModel(model, all);
  if (problem !== null) yield `model: ${problem}`;
}

const onlyChat = 'only the wire openai-chat has dialects';

const speaksChat = (provider: string, all: ModelsSettings) =>
  resolveProvider(provider, all, {})?.wire === 'openai-chat';

function problemOfEntry(id: string, before: readonly string[], all: ModelsSettings): string | null {
  if (before.includes(id)) return `"${id}" is in this pool already`;
  if (Object.hasOwn(all.pools ?? {}, id)) return `"${id}" is a pool; a pool holds models, as provider/model`;
  return problemOfModel(id, all);
}

function problemOfModel(id: string, all: ModelsSettings): string | null {
  const name = parseModelName(id);
  if (name === null)
    return `"${id}" is no model: write it as provider/model.${suggestion(id, Object.keys(all.pools ?? {}))}`;
  const providers = providerNames(all);
  if (!providers.includes(name.provider)) {
    return `there is no provider "${name.provider}".${suggestion(name.provider, providers)}`;
  }
  if (name.variant === null) return null;
  const variants = Object.keys(variantsOf(`${name.provider}/${name.model}`, all));
  if (variants.includes(name.variant)) return null;
  return `there is no variant "${name.variant}".${suggestion(name.variant, variants)}`;
}

const problemOfRule = (text: string) => problemOf(() => parseRule(text));

function problemOf(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** A line for each rule about a tool that there is not: it would silently hold for nothing. */
export function rulesOfUnknownTools({ rules }: Pick<SettingsFile, 'rules'>, tools: readonly string[]): string[] {
  return Object.entries(rules ?? {}).flatMap(([list, texts]) =>
    texts.flatMap((text, index) => {
      const { tool } = parseRule(text);
      // Tools of servers have names of their own, and a * stands for any.
      if (tool.includes('*') || tool.startsWith('mcp') || tools.includes(tool)) return [];
      return [`rules.${list}.${index}: there is no tool "${tool}".${suggestion(tool, tools)}`];
    }),
  );
}
