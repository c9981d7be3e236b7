/** What people choose when they say, allow, forbid or change something. */
import type { CommandInput, FilePart, UserPart } from '@pawl/protocol';
import type { Book } from '../checks/book.ts';
import { fileOf } from './files.ts';
import { fates, paths } from './kinds.ts';
import { modelInfo, otherModelId } from './model.ts';
import type { Random } from './random.ts';

export function textOf(random: Random): UserPart[] {
  return [{ type: 'text', text: random.chance(0.03) ? ' ' : `Input ${random.below(1e6)}` }];
}

export function answerTo(call: string, random: Random): CommandInput['approval.resolve'] {
  if (random.chance(0.25)) return { call, decision: 'deny', reason: 'No.' };
  const edited = { path: random.pick(paths), fate: random.weighted(fates) };
  return {
    call,
    decision: 'allow',
    ...(random.chance(0.2) && { input: edited }),
    ...(random.chance(0.1) && { rules: [{ list: 'allow' as const, rule: 'write' }] }),
  };
}

/** An image that everybody finds, or that is lost. */
export function someFile(random: Random, keep: (bytes: Uint8Array) => string): FilePart {
  const bytes = new TextEncoder().encode(`image ${random.below(20)}`);
  const digest = random.chance(0.9) ? keep(bytes) : `sha256-${'f'.repeat(64)}`;
  return fileOf(digest, bytes);
}

export function someRule(random: Random): CommandInput['rule.add'] {
  const list = random.pick(['deny', 'ask', 'allow'] as const);
  return {
    list,
    rule: random.pick(['write', 'look', 'send', 'look(/w/b)', 'ask', 'peek', 'peek(/w/c)', 'write(/w/a)', 'post(*)']),
  };
}

/** One of the rules that a session has, where it has any. */
export function ruleOf({ state }: Book, random: Random): CommandInput['rule.add'] {
  const list = random.pick(['deny', 'ask', 'allow', 'allow'] as const);
  const rules = state.settings.rules[list];
  return rules.length === 0 ? someRule(random) : { list, rule: random.pick(rules) };
}

export const modes = ['manual', 'accept-edits', 'plan', 'auto'] as const;

export function someSettings(random: Random): CommandInput['session.configure'] {
  const setting = random.pick(['mode', 'attended', 'steps', 'time', 'tokens', 'dollars', 'model', 'deadline'] as const);
  switch (setting) {
    case 'mode':
      return { mode: random.pick(modes) };
    case 'attended':
      return { isAttended: random.chance(0.7) };
    case 'steps':
      return { limits: { steps: 1 + random.below(8) } };
    case 'time':
      return { limits: { durationMs: random.chance(0.3) ? null : 1 + random.below(2000) } };
    case 'tokens':
      return { limits: { tokens: random.chance(0.3) ? null : 50 + random.below(500) } };
    case 'dollars':
      return { limits: { usd: random.chance(0.3) ? null : random.below(4) } };
    case 'model':
      return { model: otherModelId, modelInfo };
    case 'deadline':
      return { limits: { approvalTimeoutMs: random.pick([0, 100, 300_000]) } };
    default:
      return setting satisfies never;
  }
}
