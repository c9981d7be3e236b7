/** A run for people: text as it streams, a line a tool, a summary. */
import { oneLine } from '@pawl/engine/readers/visible';
import type { DurableEvent, TransientEvent } from '@pawl/protocol';
import type { AnswerText } from './answer-text.ts';
import {
  createAnswerText,
  endThinking,
  finishAnswer,
  say,
  think,
  withdraw,
  writeClosing,
  writeSnapshot,
} from './answer-text.ts';
import type { Calls } from './call-lines.ts';
import {
  approvalRequested,
  approvalResolved,
  callFinished,
  callJudged,
  callProgressed,
  callStarted,
  callsMade,
  createCalls,
  questionAnswered,
  showRunning,
} from './call-lines.ts';
import { compactionLine } from './compaction-line.ts';
import type { Reporter } from './reporter.ts';
import type { Screen } from './screen.ts';
import type { Output } from './stdout.ts';
import { closingLines, summaryLine } from './summary.ts';
import { taskLine, taskReporter } from './task-lines.ts';
import { finalText, mailLine, saidLines, verifiedLine } from './turn-lines.ts';
import { todoLines } from './work.ts';

export type TextOptions = { isLive: boolean; isVerbose?: boolean; showsThinking?: boolean };

/** What is shown of a run, and what of it is on the screen. */
type Shown = { screen: Screen; answer: AnswerText; calls: Calls };

/**
 * `isLive` streams what the agent says to standard output. Otherwise, where that is a pipe or a file, only the final
 * answer goes there, whole and as it is, and all that leads to it goes to standard error.
 */
export function textReporter(
  screen: Screen,
  output: Output,
  { isLive, isVerbose = false, showsThinking = isVerbose }: TextOptions,
): Reporter {
  const answer = createAnswerText(screen, { isLive, showsThinking });
  const shown: Shown = { screen, answer, calls: createCalls(screen, isVerbose) };
  return {
    task: taskReporter(screen),
    event(event) {
      if ('seq' in event) showDurable(shown, event);
      else showTransient(shown, event);
    },
    async finish({ tally, view }) {
      screen.close();
      // Exactly what the agent said, where a program reads it; a terminal has seen it already, made safe.
      const text = finalText(tally);
      const isUnseen = tally.isStructured && text.trim() !== answer.said;
      if ((!isLive || isUnseen) && text !== '') await output.write(text.endsWith('\n') ? text : `${text}\n`);
      for (const line of closingLines(tally, view, screen.style)) screen.line(line);
      screen.line(summaryLine(tally, view, screen.style, process.stderr.columns));
      screen.line(screen.style.dim(`session ${view.session}`));
    },
  };
}

function showDurable({ screen, answer, calls }: Shown, event: DurableEvent): void {
  const { style } = screen;
  switch (event.type) {
    case 'step.started':
      screen.status('waiting for the model');
      break;
    case 'message.added': {
      const { message } = event.data;
      if (message.role === 'assistant') {
        callsMade(calls, message);
        finishAnswer(answer, message);
      } else if (message.role === 'user') for (const line of saidLines(message, style)) screen.line(line);
      break;
    }
    case 'loop.verified':
      screen.line(verifiedLine(event.data, style));
      break;
    case 'mail.sent':
      screen.line(mailLine(`to ${event.data.to}`, event.data, style));
      break;
    case 'mail.received':
      screen.line(mailLine(`from ${event.data.from}`, event.data, style));
      break;
    case 'mail.failed':
      screen.line(style.yellow(`✉ not delivered: ${oneLine(event.data.message)}`));
      break;
    case 'model.failed':
      if (event.data.willRetry === true && answer.isLive) withdraw(answer, event.data.error.message);
      screen.status(null);
      screen.line(style.red(`✗ ${oneLine(event.data.error.message)}`));
      break;
    case 'history.repaired': {
      const reasons = event.data.repairs.map(({ why }) => oneLine(why)).join(' ');
      screen.line(style.dim(`The history was repaired: ${reasons}`));
      break;
    }
    case 'context.trimmed':
    case 'context.removed':
    case 'context.compacted':
    case 'compaction.failed':
    case 'compaction.cancelled':
      screen.line(style.dim(compactionLine(event)));
      break;
    case 'approval.requested':
      approvalRequested(calls, event.data);
      break;
    case 'approval.resolved':
      approvalResolved(calls, event.data);
      break;
    case 'tool.judged':
      callJudged(calls, event.data);
      break;
    case 'question.answered':
      questionAnswered(calls, event.data);
      break;
    case 'todo.updated':
      for (const line of todoLines(event.data.todos, style)) screen.line(line);
      break;
    case 'stage.declared':
      screen.line(style.dim(`◆ ${oneLine(event.data.stage)}`));
      break;
    case 'tool.started':
      callStarted(calls, event.data);
      break;
    case 'tool.finished':
      callFinished(calls, event.data);
      if (event.data.endsTurn !== undefined) writeClosing(answer, event.data.endsTurn);
      if (calls.running.size > 0) showRunning(calls);
      break;
    case 'turn.ended':
      screen.status(null);
      break;
    default: {
      const line = taskLine(event, screen);
      if (line !== null) screen.line(line);
    }
  }
}

/** What happened stands in a line of its own, by a notice; these say what is waited for. */
const waits: ReadonlySet<string> = new Set(['retrying', 'switching_key', 'cooling', 'verifying', 'compacting']);

function showTransient({ screen, answer, calls }: Shown, event: TransientEvent): void {
  switch (event.type) {
    case 'stream.text':
      endThinking(answer);
      if (answer.isLive) say(answer, event.data.text);
      else screen.status('writing');
      break;
    case 'stream.thinking':
      think(answer, event.data.text);
      screen.status('thinking');
      break;
    case 'stream.input':
      endThinking(answer);
      screen.status(`preparing ${oneLine(event.data.tool)}`);
      break;
    case 'stream.snapshot':
      if (answer.isLive) writeSnapshot(answer, event.data.text);
      break;
    case 'stream.withdrawn':
      withdraw(answer, event.data.reason);
      break;
    case 'tool.progress':
      callProgressed(calls, event.data);
      break;
    case 'activity':
      if (waits.has(event.data.activity)) screen.status(oneLine(event.data.detail ?? event.data.activity));
      break;
    case 'notice': {
      const { style } = screen;
      const paint = { info: style.dim, warning: style.yellow, error: style.red }[event.data.level];
      screen.line(paint(oneLine(event.data.message)));
      break;
    }
    case 'stream.started':
    case 'stream.gap':
      break;
    default:
      event satisfies never;
  }
}
