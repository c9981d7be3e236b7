/** When the history is trimmed and compacted, and what waits for it. */
import type { CompactionCause, EventBody } from '@pawl/protocol';
import { windowTokens } from '../history/window.ts';
import { budgetReached } from '../spending/limits.ts';
import type { State, Turn } from '../state.ts';
import { endOf, isStopping, stopOutcome } from '../turn/ending.ts';
import { composeSummary } from './compose.ts';
import { planCompaction } from './plan.ts';
import { findOversized } from './remove.ts';
import type { Compaction } from './state.ts';
import { findTrim } from './trim.ts';
import { asCounted, isFull, isOverThreshold, tokensOfMessages, tokensOfText } from './window.ts';

/** One that lost its ground, or its turn, is dropped whole, whatever the turn is at. */
export function droppedCompaction({ compaction, turn }: State): EventBody[] {
  if (compaction === null) return [];
  const drop = (reason: string): EventBody[] => [
    { type: 'compaction.cancelled', data: { compaction: compaction.number, reason } },
  ];
  if (compaction.isMoved) return drop('The history changed under it.');
  return turn?.cancel == null ? [] : drop('The turn was cancelled.');
}

/** Between steps and between turns a summary that is ready takes its place. */
export function applied(state: State): EventBody[] | null {
  const { compaction } = state;
  return compaction?.ready == null ? null : [application(state, compaction, compaction.ready)];
}

function application(
  state: State,
  { number, through }: Compaction,
  ready: NonNullable<Compaction['ready']>,
): EventBody {
  const place = state.messages.findIndex((message) => message.id === through) + 1;
  const [removed, kept] = [state.messages.slice(0, place), state.messages.slice(place)];
  const content = composeSummary(state, ready, { removed, kept });
  const tokensBefore = windowTokens(state);
  const rest = Math.max(tokensBefore - asCounted(state, tokensOfMessages(removed)), tokensOfMessages(kept));
  const tokensAfter = rest + tokensOfText(content);
  return { type: 'context.compacted', data: { compaction: number, through, content, tokensBefore, tokensAfter } };
}

/** Before a step: room is made where it gets tight, beside the turn; the step waits only when nothing more fits in. */
export function roomMade(state: State, turn: Turn): EventBody[] | null {
  if (state.compaction !== null) return isFull(state) ? [] : null;
  if (!state.settings.compaction.isOn || !isOverThreshold(state)) return null;
  const trim = findTrim(state);
  if (trim !== null) return [{ type: 'context.trimmed', data: trim }];
  const mayAsk = state.compactions.suspendedSteps === 0 && isAffordable(state, turn);
  // Where nothing more fits in, something has to go, also without a model that could say what it was about.
  if (!mayAsk && !isFull(state)) return null;
  const started = startCompaction(state, 'threshold', { isMechanical: !mayAsk });
  return started === null ? null : [started];
}

/** Whether the turn can do nothing before the compaction that is under way has come to its end. */
export function isAwaitingCompaction(state: State): boolean {
  const { turn, compaction } = state;
  if (turn === null || compaction === null || isStopping(turn)) return false;
  if (turn.phase === 'compacting') return true;
  const isHeldUp = turn.phase === 'between' && turn.ending === null && compaction.ready === null;
  return isHeldUp && !state.isPaused && isFull(state);
}

/** Its call comes beside the one of the step, and reads about as much. */
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

function removal(state: State): EventBody | null {
  const data = findOversized(state);
  return data === null ? null : { type: 'context.removed', data };
}

/** The turn cannot go on without it. One that is under way already will do. */
export function settleCompacting(state: State, turn: Turn): EventBody[] {
  const { need } = turn;
  if (isStopping(turn)) return [endOf(turn, stopOutcome(turn))];
  if (state.compaction !== null) return applied(state) ?? [];
  if (need === null) return [];
  if (need.hasFailed) return [endOf(turn, need.ending)];
  const limit = budgetReached(state, turn);
  if (limit !== null) return [endOf(turn, limit)];
  const isMechanical = state.compactions.suspendedSteps > 0;
  // What a compaction left too long has something in it that is too large by itself.
  const isLarge = need.cause === 'overflow' && turn.overflows > 1;
  const oversized = () => (need.cause === 'overflow' ? removal(state) : null);
  const first = isLarge ? oversized() : null;
  return [first ?? startCompaction(state, need.cause, { isMechanical }) ?? oversized() ?? endOf(turn, need.ending)];
}
