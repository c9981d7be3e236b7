/** When the history is trimmed and compacted, and what waits for it. */
import type { CompactionCause, EventBody } from '@pawl/protocol';
import { windowTokens } from '../history/window.ts';
import { budgetReached } from '../spending/limits.ts';
import type { State, Turn } from '../state.ts';
import { isOutOfTime, isStopping, stopEnding, turnEnded } from '../turn/ending.ts';
import { composeSummary } from './compose.ts';
import { planCompaction } from './plan.ts';
import { findOversized } from './remove.ts';
import type { Compaction } from './state.ts';
import { findTrim } from './trim.ts';
import { inProviderTokens, isFull, isOverThreshold, tokensOfMessages, tokensOfText } from './window.ts';

/** Drops a compaction whose messages have changed, or whose turn was cancelled. */
export function dropCompaction({ compaction, turn }: State): EventBody[] {
  if (compaction === null) return [];
  const drop = (reason: string): EventBody[] => [
    { type: 'compaction.cancelled', data: { compaction: compaction.number, reason } },
  ];
  if (compaction.isOutdated) return drop('The history changed under it.');
  if (turn?.cancel == null) return [];
  return drop(isOutOfTime(turn) ? 'The turn ran out of time.' : 'The turn was cancelled.');
}

/** Between steps and between turns a finished summary replaces its messages. */
export function applyReadySummary(state: State): EventBody[] | null {
  const { compaction } = state;
  return compaction?.ready == null ? null : [contextCompacted(state, compaction, compaction.ready)];
}

function contextCompacted(
  state: State,
  { number, through }: Compaction,
  ready: NonNullable<Compaction['ready']>,
): EventBody {
  const place = state.messages.findIndex((message) => message.id === through) + 1;
  const [removed, kept] = [state.messages.slice(0, place), state.messages.slice(place)];
  const content = composeSummary(state, ready, { removed, kept });
  const tokensBefore = windowTokens(state);
  const rest = Math.max(tokensBefore - inProviderTokens(state, tokensOfMessages(removed)), tokensOfMessages(kept));
  const tokensAfter = rest + tokensOfText(content);
  return { type: 'context.compacted', data: { compaction: number, through, content, tokensBefore, tokensAfter } };
}

/** Before a step: starts to trim or compact when the window is nearly full. The step waits only when the window is full. */
export function makeRoom(state: State, turn: Turn): EventBody[] | null {
  if (state.compaction !== null) return isFull(state) ? [] : null;
  if (!state.settings.compaction.isOn || !isOverThreshold(state)) return null;
  const trim = findTrim(state);
  if (trim !== null) return [{ type: 'context.trimmed', data: trim }];
  const mayAsk = state.compactions.suspendedSteps === 0 && isAffordable(state, turn);
  // A full window is compacted even without a model, with a digest in place of a summary.
  if (!mayAsk && !isFull(state)) return null;
  const started = startCompaction(state, 'threshold', { isMechanical: !mayAsk });
  return started === null ? null : [started];
}

/** Whether the turn has to wait for the current compaction. */
export function isAwaitingCompaction(state: State): boolean {
  const { turn, compaction } = state;
  if (turn === null || compaction === null || isStopping(turn)) return false;
  if (turn.phase === 'compacting') return true;
  const isHeldUp = turn.phase === 'between' && turn.ending === null && compaction.ready === null;
  return isHeldUp && !state.isPaused && isFull(state);
}

/** The summary is a second call of the model, with about as many tokens as the step's own. */
function isAffordable(state: State, turn: Turn): boolean {
  return budgetReached(state, turn, { tokens: windowTokens(state) }) === null;
}

/** Null when there is nothing to compact. */
export function startCompaction(
  state: State,
  cause: CompactionCause,
  { focus, isMechanical = false }: { focus?: string | undefined; isMechanical?: boolean } = {},
): EventBody | null {
  const plan = planCompaction(state, cause);
  if (plan === null) return null;
  const { through } = plan;
  const data = { compaction: state.compactions.count + 1, cause, through, tokens: windowTokens(state) };
  return {
    type: 'compaction.started',
    data: { ...data, ...(focus !== undefined && { focus }), ...(isMechanical && { isMechanical }) },
  };
}

function removeOversized(state: State): EventBody | null {
  const data = findOversized(state);
  return data === null ? null : { type: 'context.removed', data };
}

/** The turn cannot go on without a compaction. One that has already started will do. */
export function settleCompacting(state: State, turn: Turn): EventBody[] {
  const { neededCompaction } = turn;
  if (isStopping(turn)) return [turnEnded(turn, stopEnding(turn))];
  if (state.compaction !== null) return applyReadySummary(state) ?? [];
  if (neededCompaction === null) return [];
  if (neededCompaction.hasFailed) return [turnEnded(turn, neededCompaction.ending)];
  const limit = budgetReached(state, turn);
  if (limit !== null) return [turnEnded(turn, limit)];
  const isMechanical = state.compactions.suspendedSteps > 0;
  // If a compacted history is still too long, some content is too large by itself.
  const isLarge = neededCompaction.cause === 'overflow' && turn.overflows > 1;
  const oversized = () => (neededCompaction.cause === 'overflow' ? removeOversized(state) : null);
  const first = isLarge ? oversized() : null;
  return [
    first ??
      startCompaction(state, neededCompaction.cause, { isMechanical }) ??
      oversized() ??
      turnEnded(turn, neededCompaction.ending),
  ];
}
