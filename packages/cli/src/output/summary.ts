/** The one line at the end of a run. */
import { isTooLong } from '@pawl/engine/core';
import { oneLine } from '@pawl/engine/readers/visible';
import { costText, countText, durationText } from '@pawl/engine/readers/words';
import type { SessionView, TurnOutcome } from '@pawl/protocol';
import type { Style } from '@pawl/terminal/text/style';
import { joinParts } from '@pawl/terminal/text/width';
import type { Tally } from '../run/tally.ts';

const outcomeWords: Record<TurnOutcome, string> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  max_steps: 'stopped at the limit of steps',
  max_duration: 'stopped at the limit of time',
  budget: 'stopped at the budget',
  truncated: 'cut at the output limit',
  blocked: 'blocked',
};

/** Outcome, steps, tokens, cost, context. */
export function summaryLine(tally: Tally, view: SessionView, style: Style, columns = Number.POSITIVE_INFINITY): string {
  const { turn, startedAt, endedAt } = tally;
  const { context } = view;
  const parts: string[] = [];
  if (turn !== null) {
    const time = startedAt !== null && endedAt !== null ? ` in ${durationText(endedAt - startedAt)}` : '';
    const words = `${outcomeWords[turn.outcome]}${time}`;
    parts.push(turn.outcome === 'completed' ? style.green(`✓ ${words}`) : style.yellow(`■ ${words}`));
    const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens, outputTokens } = turn.usage;
    const input = inputTokens + cacheReadTokens + cacheWriteTokens + cacheWriteHourTokens;
    parts.push(`step ${turn.steps}/${context.maxSteps}`);
    parts.push(`${countText(input)} in, ${countText(outputTokens)} out`, `cost ${costText(turn.costUsd)}`);
  }
  if (view.mode !== 'manual') parts.push(`mode ${view.mode}`);
  parts.push(`context ${context.percent}%`);
  return joinParts(parts, columns, style);
}

/** What else the user should know, a line each: why it did not complete, what was refused, how to go on. */
export function closingLines(tally: Tally, view: SessionView, style: Style): string[] {
  const { turn, denials } = tally;
  const lines: string[] = [];
  if (turn === null) return lines;
  if (turn.outcome !== 'completed') {
    // A failure was told when it happened.
    if (turn.message !== tally.failure?.message) lines.push(oneLine(turn.message));
    if (tally.failure !== null && isTooLong(tally.failure.code)) {
      lines.push(`See what is large, and take it out: pawl context ${view.session} --list`);
    }
    lines.push(`Go on with: pawl run --resume ${view.session}`);
  }
  if (view.plan !== null && view.turn === null) {
    lines.push(`The plan waits for somebody to carry it out: pawl run --resume ${view.session} --execute-plan`);
  }
  const unattended = denials.filter((denial) => denial.isUnattended);
  if (unattended.length > 0) {
    const tools = [...new Set(unattended.map((denial) => oneLine(denial.tool)))].join(', ');
    const calls = unattended.length === 1 ? 'One call was' : `${unattended.length} calls were`;
    const how = 'Allow it with --permission-mode or --allow, or run it in a terminal.';
    lines.push(style.yellow(`${calls} refused because nobody was there to be asked (${tools}). ${how}`));
  }
  return lines;
}
