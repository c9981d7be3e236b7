/** A run for people: text as it streams, a line a tool, a summary. */
import { oneLine, visible } from '@pawl/engine/readers/visible';
import type { AssistantMessage, DurableEvent, PawlEvent, Question, TransientEvent } from '@pawl/protocol';
import { compactionLine } from './compaction-line.ts';
import { createMarkdown } from './markdown.ts';
import type { Reporter } from './reporter.ts';
import type { Screen } from './screen.ts';
import type { Output } from './stdout.ts';
import { createSafeText } from './stream-text.ts';
import { createStyle, wantsColour } from './style.ts';
import { closingLines, summaryLine } from './summary.ts';
import { taskLine, taskReporter } from './task-lines.ts';
import { toolDetails } from './tool-details.ts';
import type { KnownCall } from './tool-line.ts';
import { callText, toolLine } from './tool-line.ts';
import { finalText, mailLine, saidLines, verifiedLine } from './turn-lines.ts';
import { answerLines, noticeLine, todoLines } from './work.ts';

const waits: ReadonlySet<string> = new Set(['retrying', 'switching_key', 'cooling', 'verifying', 'compacting']);

export type TextOptions = { isLive: boolean; isVerbose?: boolean; showsThinking?: boolean };

/**
 * `isLive` streams what the agent says to standard output. Otherwise, where that is a pipe or a file, only the final
 * answer goes there, whole and as it is, and all that leads to it goes to standard error.
 */
export function textReporter(
  screen: Screen,
  output: Output,
  { isLive, isVerbose = false, showsThinking = isVerbose }: TextOptions,
): Reporter {
  const calls = new Map<string, KnownCall>();
  const running = new Set<string>();
  const asked = new Map<string, readonly Question[]>();
  const { style } = screen;
  const previews = new Map<string, string>();
  const width = () => Math.max(20, process.stdout.columns || 80);
  /** Text for this terminal: safe, and Markdown where it may have formats. */
  const openText = () => {
    const markdown = wantsColour(process.stdout) ? createMarkdown(createStyle(true), width) : null;
    const raw = createSafeText();
    if (markdown === null) return raw;
    return {
      push: (text: string) => markdown.push(raw.push(text)),
      end: () => markdown.push(raw.end()) + markdown.end(),
    };
  };
  let safe = openText();
  /** What was thought and does not fill a line yet. */
  let thought = '';
  let hasThought = false;
  const think = (text: string) => {
    if (!showsThinking) return;
    const lines = (thought + text).split('\n');
    thought = lines.pop() ?? '';
    for (const line of lines) screen.line(style.dim(visible(line)));
    hasThought = true;
  };
  const endThought = () => {
    if (thought !== '') screen.line(style.dim(visible(thought)));
    thought = '';
  };
  /** What of this step's text is on the screen already. */
  let streamed = '';
  /** What the agent said beside its last calls. */
  let said = '';

  const showRunning = () => {
    const texts = [...running].flatMap((id) => {
      const call = calls.get(id);
      return call === undefined ? [] : [callText(call)];
    });
    screen.status(texts.length > 1 ? `${texts.length} tools: ${texts.join(', ')}` : (texts[0] ?? 'thinking'));
  };

  const say = (text: string) => {
    screen.status(null);
    streamed += text;
    screen.text(safe.push(text));
  };

  /** What came while nobody looked: the screen gets the rest of it, or all of it if it shows something else. */
  const catchUp = (text: string) => {
    if (!text.startsWith(streamed)) withdraw('it was begun anew');
    say(text.slice(streamed.length));
  };

  const withdraw = (reason: string) => {
    if (streamed !== '') screen.line(style.dim(`↺ Withdrawn: ${oneLine(reason)}`));
    streamed = '';
    safe = openText();
  };

  const answered = (message: AssistantMessage) => {
    const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
    const made = message.content.filter((part) => part.type === 'tool_call');
    for (const { id, tool, input } of made) calls.set(id, { tool, input });
    said = text.trim();
    if (!hasThought) for (const part of message.content) if (part.type === 'thinking') think(part.text);
    endThought();
    hasThought = false;
    if (isLive) {
      catchUp(text);
      screen.text(safe.end());
      screen.endLine();
    } else if (made.length > 0 && said !== '') {
      screen.line(visible(text).trim());
    }
    streamed = '';
    safe = openText();
  };

  const durable = (event: DurableEvent) => {
    switch (event.type) {
      case 'step.started':
        screen.status('waiting for the model');
        break;
      case 'message.added':
        if (event.data.message.role === 'assistant') answered(event.data.message);
        else for (const line of saidLines(event.data.message, style)) screen.line(line);
        break;
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
        if (event.data.willRetry === true && isLive) withdraw(event.data.error.message);
        screen.status(null);
        screen.line(style.red(`✗ ${oneLine(event.data.error.message)}`));
        break;
      case 'history.repaired':
        screen.line(
          style.dim(`The history was repaired: ${event.data.repairs.map(({ why }) => oneLine(why)).join(' ')}`),
        );
        break;
      case 'context.trimmed':
      case 'context.removed':
      case 'context.compacted':
      case 'compaction.failed':
      case 'compaction.cancelled':
        screen.line(style.dim(compactionLine(event)));
        break;
      case 'approval.requested': {
        const { call, tool, input } = event.data;
        calls.set(call, { tool, input });
        // The person who is asked sees it there.
        previews.delete(call);
        break;
      }
      case 'approval.resolved': {
        const call = calls.get(event.data.call);
        if (call !== undefined && event.data.input !== undefined) call.input = event.data.input;
        break;
      }
      case 'tool.judged':
        if (event.data.preview?.kind === 'diff') previews.set(event.data.call, event.data.preview.text);
        if (event.data.questions !== undefined) asked.set(event.data.call, event.data.questions);
        break;
      case 'question.answered':
        for (const line of answerLines(event.data, asked.get(event.data.call) ?? [], style)) screen.line(line);
        break;
      case 'todo.updated':
        for (const line of todoLines(event.data.todos, style)) screen.line(line);
        break;
      case 'stage.declared':
        screen.line(style.dim(`◆ ${oneLine(event.data.stage)}`));
        break;
      case 'tool.started':
        running.add(event.data.call);
        showRunning();
        break;
      case 'tool.finished': {
        running.delete(event.data.call);
        const call = calls.get(event.data.call) ?? { tool: event.data.call, input: {} };
        const columns = screen.columns();
        screen.line(toolLine(call, event.data, style, columns));
        const diff = previews.get(event.data.call) ?? null;
        previews.delete(event.data.call);
        if (columns !== null || isVerbose) {
          const details = { style, columns: columns ?? 200, isVerbose, diff };
          const lines = toolDetails(event.data, details);
          if (lines.length > 0) screen.line(lines.join('\n'));
        }
        const notice = noticeLine(event.data, style);
        if (notice !== null) screen.line(notice);
        // What ends the turn is said last, unless the agent said it in words of its own.
        const { endsTurn } = event.data;
        if (isLive && endsTurn !== undefined && endsTurn.trim() !== said) {
          const whole = openText();
          screen.text(`${whole.push(endsTurn)}${whole.end()}\n`);
        }
        if (running.size > 0) showRunning();
        break;
      }
      case 'turn.ended':
        screen.status(null);
        break;
      default: {
        const line = taskLine(event, screen);
        if (line !== null) screen.line(line);
      }
    }
  };

  const transient = (event: TransientEvent) => {
    switch (event.type) {
      case 'stream.text':
        endThought();
        if (isLive) say(event.data.text);
        else screen.status('writing');
        break;
      case 'stream.thinking':
        think(event.data.text);
        screen.status('thinking');
        break;
      case 'stream.input':
        endThought();
        screen.status(`preparing ${oneLine(event.data.tool)}`);
        break;
      case 'stream.snapshot':
        if (isLive) catchUp(event.data.text);
        break;
      case 'stream.withdrawn':
        withdraw(event.data.reason);
        break;
      case 'tool.progress': {
        const { call, text, done, total } = event.data;
        const known = calls.get(call);
        if (known === undefined || (text === undefined && done === undefined)) break;
        if (isVerbose && text !== undefined) {
          for (const line of visible(text).trimEnd().split('\n')) screen.line(`  ${style.dim(line)}`);
        }
        const share = done === undefined || total === undefined ? '' : ` ${done}/${total}`;
        const last = text === undefined ? '' : ` ${oneLine(text.slice(-200))}`;
        screen.status(`${callText(known)}${share}${last}`);
        break;
      }
      case 'activity':
        // What happened stands in a line of its own, by a notice; this says what is waited for.
        if (waits.has(event.data.activity)) screen.status(oneLine(event.data.detail ?? event.data.activity));
        break;
      case 'notice': {
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
  };

  return {
    task: taskReporter(screen),
    event(event: PawlEvent) {
      if ('seq' in event) durable(event);
      else transient(event);
    },
    async finish({ tally, view }) {
      screen.close();
      // Exactly what the agent said, where a program reads it; a terminal has seen it already, made safe.
      const text = finalText(tally);
      const isUnseen = tally.isStructured && text.trim() !== said;
      if ((!isLive || isUnseen) && text !== '') await output.write(text.endsWith('\n') ? text : `${text}\n`);
      for (const line of closingLines(tally, view, style)) screen.line(line);
      screen.line(summaryLine(tally, view, style));
      screen.line(style.dim(`session ${view.session}`));
    },
  };
}
