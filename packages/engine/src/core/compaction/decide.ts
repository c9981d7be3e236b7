/** Who may start or cancel a compaction, and what follows from a summary. */
import type { CompactionSettings, EventData } from '@pawl/protocol';
import type { Decision, FingerprintedCommand, Refusal } from '../decision.ts';
import { accept, refuse } from '../decision.ts';
import { windowTokens } from '../history/window.ts';
import { budgetReached } from '../spending/limits.ts';
import type { State } from '../state.ts';
import { findNamedContent } from './remove.ts';
import { startCompaction } from './settle.ts';

export type CompactionOutcome =
  | {
      type: 'compaction.summarised';
      effect: string;
      data: Omit<EventData['compaction.summarised'], 'compaction' | 'suspendedSteps'>;
    }
  | {
      type: 'compaction.failed';
      effect: string;
      data: Omit<EventData['compaction.failed'], 'compaction' | 'suspendedSteps'>;
    };

/** Failures in a row after which no compaction starts by itself for a while. */
const maxFailures = 2;
/** How long, in steps. */
const suspendedSteps = 10;

type CompactionCommand = Extract<
  FingerprintedCommand,
  { type: 'context.compact' | 'compaction.cancel' | 'context.remove' }
>;

export function decideCompaction(state: State, command: CompactionCommand): Decision {
  const { compaction, turn } = state;
  if (command.type === 'compaction.cancel') {
    if (compaction === null) return refuse('no_compaction', 'No compaction is under way.');
    const reason = `Cancelled by ${command.by.id}.`;
    return accept({ type: 'compaction.cancelled', data: { compaction: compaction.number, reason, suspendedSteps } });
  }
  if (command.type === 'context.remove') return remove(state, command);
  if (compaction !== null) return refuse('already_compacting', 'A compaction is under way already.');
  const started = startCompaction(state, 'manual', { focus: command.data.focus });
  if (started === null) {
    return refuse(
      'nothing_to_compact',
      'There is nothing to compact: what the model sees are the latest messages only.',
    );
  }
  const beside = turn === null ? {} : { tokens: windowTokens(state) };
  const limit = budgetReached(state, turn, beside);
  return limit === null ? accept(started) : refuse('budget', `Not compacted. ${limit.message}`);
}

/** Not while a request is being answered or calls run: their history must not change. */
function remove(state: State, { by, data }: CompactionCommand & { type: 'context.remove' }): Decision {
  if (by.kind !== 'human') return refuse('human_only', 'Only a person can take content out of what the model sees.');
  const phase = state.turn?.phase ?? 'between';
  if (phase === 'model' || phase === 'tools') {
    return refuse('turn_runs', 'A step is being done. Cancel the turn or wait for its end, and try again.');
  }
  const removal = findNamedContent(state, data);
  if (removal !== null) return accept({ type: 'context.removed', data: removal });
  return refuse(
    'no_message',
    'There is no such content in what the model sees. List it with: pawl context <session> --list',
  );
}

/** Why the settings are refused; null if they are valid. */
export function compactionRefusal(
  settings: { readonly [Name in keyof CompactionSettings]?: CompactionSettings[Name] | undefined } = {},
): Refusal | null {
  const { threshold = 0.5 } = settings;
  if (threshold >= 0.1 && threshold <= 0.95) return null;
  return refuse('bad_limit', 'The threshold of compaction is a share of the window from 0.1 to 0.95.');
}

/** Records the outcome of a summary, which is still owed. */
export function decideSummary({ compaction, compactions }: State, outcome: CompactionOutcome): Decision {
  const number = compaction?.number ?? 0;
  const isLast = compactions.failures + 1 >= maxFailures;
  if (outcome.type === 'compaction.summarised') {
    const suspended = outcome.data.problem !== undefined && isLast && { suspendedSteps };
    return accept({ type: 'compaction.summarised', data: { compaction: number, ...outcome.data, ...suspended } });
  }
  const data = { compaction: number, ...outcome.data, ...(isLast && { suspendedSteps }) };
  return accept({ type: 'compaction.failed', data });
}
