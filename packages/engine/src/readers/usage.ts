/** What sessions used and cost: a fold of their logs. */
import type { DurableEvent, Usage } from '@pawl/protocol';
import { addUsage, noUsage, totalTokens } from '../core/spending/usage.ts';
import { workflowText } from './words.ts';

/** One call of a model that was billed, or may have been. */
export type UsageEntry = {
  /** When it ended, Unix ms. */
  at: number;
  session: string;
  agent: string;
  /** For whom the session works; empty where nobody said. */
  user: string;
  /** `slug/step`; empty where nobody said. */
  workflow: string;
  /** That answered; of a failed call the one that was asked. */
  model: string;
  usage: Usage;
  /** US dollars; null where the price is not known. */
  costUsd: number | null;
};

/** The calls of one session, in their order. What a fork was copied with was spent by the session it was copied from. */
export function usageOf(events: readonly DurableEvent[]): UsageEntry[] {
  let entries: UsageEntry[] = [];
  let model = '';
  let agent = '';
  let [user, workflow] = ['', ''];
  /** An answer that was cut: what it cost stands in the failure that follows, if anywhere. */
  let partial: UsageEntry | null = null;
  for (const { type, data, at, session } of events) {
    switch (type) {
      case 'session.created':
        ({ model, agent } = data);
        user = data.origin?.user ?? '';
        workflow = workflowText(data.origin);
        break;
      case 'session.configured':
        model = data.model ?? model;
        agent = data.agent ?? agent;
        break;
      case 'session.forked':
        entries = [];
        break;
      case 'message.added': {
        const { message } = data;
        if (message.role !== 'assistant') break;
        const { usage, costUsd } = message;
        const entry = { at, session, agent, user, workflow, model: message.model, usage, costUsd };
        if (message.isPartial === true) partial = entry;
        else entries.push(entry);
        break;
      }
      case 'model.failed': {
        const { usage, costUsd = null } = data;
        const asked = partial?.model ?? model;
        if (usage !== undefined) entries.push({ at, session, agent, user, workflow, model: asked, usage, costUsd });
        else if (partial !== null) entries.push(partial);
        partial = null;
        break;
      }
      case 'compaction.summarised':
      case 'compaction.failed': {
        const { usage, costUsd = null } = data;
        const wasAsked = usage !== undefined && totalTokens(usage) > 0;
        if (wasAsked) entries.push({ at, session, agent, user, workflow, model, usage, costUsd });
        break;
      }
      default:
    }
  }
  return entries;
}

/** Calls taken together. */
export type UsageSum = {
  calls: number;
  usage: Usage;
  /** US dollars of the calls whose price is known. */
  knownCostUsd: number;
  /** Calls whose price is not: what they cost comes on top. */
  unpricedCalls: number;
};

export function sumUsage(entries: readonly UsageEntry[]): UsageSum {
  const sum: UsageSum = { calls: 0, usage: noUsage, knownCostUsd: 0, unpricedCalls: 0 };
  for (const { usage, costUsd } of entries) {
    sum.calls += 1;
    sum.usage = addUsage(sum.usage, usage);
    if (costUsd === null) sum.unpricedCalls += 1;
    else sum.knownCostUsd += costUsd;
  }
  return sum;
}

/** Sums of the entries that have the same keys, sorted by them. */
export function sumUsageBy(
  entries: readonly UsageEntry[],
  keysOf: (entry: UsageEntry) => readonly string[],
): { keys: readonly string[]; sum: UsageSum }[] {
  const groups = new Map<string, { keys: readonly string[]; entries: UsageEntry[] }>();
  for (const entry of entries) {
    const keys = keysOf(entry);
    const id = JSON.stringify(keys);
    const group = groups.get(id) ?? { keys, entries: [] };
    group.entries.push(entry);
    groups.set(id, group);
  }
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { keys, entries: group }]) => ({ keys, sum: sumUsage(group) }));
}
