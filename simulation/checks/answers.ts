/** Answers that are cut or wrong in themselves: what is said about them, how often in a row, and what is refused. */
import type { ModelRequest } from '@pawl/engine';
import type { AssistantMessage, EventData } from '@pawl/protocol';
import { kindOf } from '../world/kinds.ts';
import type { Book, CallBook, TurnBook } from './book.ts';
import type { Violate } from './invariants.ts';

/** Answers in a row that may be cut, or be malformed, before the turn ends. */
const maxInARow = 3;
const maxCalls = 256;

/** Whether the call in this place is refused because there are too many. */
export function isExcess({ trouble }: Book, index: number, count: number): boolean {
  return count > maxCalls || (trouble.cut?.kind === 'call' && index > 0);
}

/** An answer that is in the log. */
export function noteAnswer({ trouble }: Book, { content, stopReason, isPartial }: AssistantMessage): void {
  if (isPartial === true) return;
  const isCut = stopReason === 'output_limit' && content.every((part) => part.type !== 'tool_call');
  trouble.cut = isCut ? { kind: 'text' } : null;
  trouble.cuts = 0;
  trouble.hasCompacted = false;
}

export function noteFailure({ trouble }: Book, { error, cutCall }: EventData['model.failed']): void {
  if (error.code !== 'output_cut') return;
  trouble.cut = cutCall === undefined ? { kind: 'thinking' } : { kind: 'call', tool: cutCall };
  trouble.cuts += 1;
}

/** All calls of a step have their result. */
export function noteResults({ trouble }: Book, { calls }: TurnBook): void {
  trouble.malformedRounds = calls.every(isMalformed) ? trouble.malformedRounds + 1 : 0;
}

function isMalformed(call: CallBook): boolean {
  if (call.isExcess || isWrongInItself(call)) return true;
  // Which tools an agent has, and whether any is wanted, is looked at elsewhere.
  return call.judgement?.isMistake === true && ['check tool', 'check choice'].includes(call.judgement.rule);
}

/** Whatever the engine makes of it: no JSON, no such tool, or arguments that it does not take. */
export function isWrongInItself({ tool, input, isNoJson }: CallBook): boolean {
  return isNoJson || kindOf(tool)?.isInput(input) !== true;
}

/** Once in between the history may be compacted, and then there is one try more. */
const maxCuts = ({ hasCompacted }: Book['trouble']): number => (hasCompacted ? maxInARow + 1 : maxInARow);

/** The model is asked once more. */
export function checkAsking({ trouble }: Book, wrong: Violate): void {
  if (trouble.cuts >= maxCuts(trouble))
    wrong('I10 turn', `it goes on after ${trouble.cuts} answers in a row that were cut.`);
  if (trouble.malformedRounds >= maxInARow) {
    wrong('I10 turn', `it goes on after ${trouble.malformedRounds} malformed steps in a row.`);
  }
}

export function checkEnding({ trouble }: Book, { outcome }: EventData['turn.ended'], wrong: Violate): void {
  if (outcome === 'truncated' && trouble.cuts !== maxInARow && trouble.cuts !== maxCuts(trouble)) {
    wrong('I10 turn', `it ended as truncated after ${trouble.cuts} answers that were cut.`);
  }
}

/** What the model is told of its last answer stands after the history, and only when that answer was cut. */
export function checkAdvice({ trouble }: Book, { tail, messages }: ModelRequest, wrong: (why: string) => void): void {
  const { cut } = trouble;
  const isTold = tail?.includes('was cut off at the output limit') === true;
  if (cut === null && isTold) wrong(`it is told "${tail}", and its last answer was whole.`);
  if (cut !== null && !isTold) wrong('it is not told that its last answer was cut.');
  if (cut?.kind === 'call' && tail !== null && !tail.includes(cut.tool)) wrong(`"${tail}" does not name ${cut.tool}.`);
  // Every other message is compared with the log; one of the engine's own would be there too.
  if (messages.some((message) => message.role === 'user' && JSON.stringify(message.content).includes('cut off at'))) {
    wrong('what it is told of its last answer stands in the history.');
  }
}
