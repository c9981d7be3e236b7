/** A run for people: text as it streams, a line a tool, a summary. */
import { oneLine, visible } from '@pawl/engine/readers/visible';
import type { AssistantMessage, DurableEvent, PawlEvent, TransientEvent } from '@pawl/protocol';
import type { Reporter } from './reporter.ts';
import type { Screen } from './screen.ts';
import type { Output } from './stdout.ts';
import { createSafeText } from './stream-text.ts';
import { closingLines, summaryLine } from './summary.ts';
import type { KnownCall } from './tool-line.ts';
import { callText, toolLine } from './tool-line.ts';

/**
 * `isLive` streams what the agent says to standard output. Otherwise, where that is a pipe or a file, only the final
 * answer goes there, whole and as it is, and all that leads to it goes to standard error.
 */
export function textReporter(screen: Screen, output: Output, { isLive }: { isLive: boolean }): Reporter {
  const calls = new Map<string, KnownCall>();
  const running = new Set<string>();
  const { style } = screen;
  let safe = createSafeText();
  /** What of this step's text is on the screen already. */
  let streamed = '';

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
    safe = createSafeText();
  };

  const answered = (message: AssistantMessage) => {
    const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
    const asked = message.content.filter((part) => part.type === 'tool_call');
    for (const { id, tool, input } of asked) calls.set(id, { tool, input });
    if (isLive) {
      catchUp(text);
      screen.text(safe.end());
      screen.endLine();
    } else if (asked.length > 0 && text.trim() !== '') {
      screen.line(visible(text).trim());
    }
    streamed = '';
    safe = createSafeText();
  };

  const durable = (event: DurableEvent) => {
    switch (event.type) {
      case 'step.started':
        screen.status('waiting for the model');
        break;
      case 'message.added':
        if (event.data.message.role === 'assistant') answered(event.data.message);
        break;
      case 'model.failed':
        screen.status(null);
        screen.line(style.red(`✗ ${oneLine(event.data.error.message)}`));
        break;
      case 'history.repaired':
        screen.line(
          style.dim(`The history was repaired: ${event.data.repairs.map(({ why }) => oneLine(why)).join(' ')}`),
        );
        break;
      case 'approval.requested': {
        const { call, tool, input } = event.data;
        calls.set(call, { tool, input });
        break;
      }
      case 'approval.resolved': {
        const call = calls.get(event.data.call);
        if (call !== undefined && event.data.input !== undefined) call.input = event.data.input;
        break;
      }
      case 'tool.started':
        running.add(event.data.call);
        showRunning();
        break;
      case 'tool.finished': {
        running.delete(event.data.call);
        const call = calls.get(event.data.call) ?? { tool: event.data.call, input: {} };
        screen.line(toolLine(call, event.data, style, screen.columns()));
        if (running.size > 0) showRunning();
        break;
      }
      case 'turn.ended':
        screen.status(null);
        break;
      default:
    }
  };

  const transient = (event: TransientEvent) => {
    switch (event.type) {
      case 'stream.text':
        if (isLive) say(event.data.text);
        else screen.status('writing');
        break;
      case 'stream.thinking':
        screen.status('thinking');
        break;
      case 'stream.input':
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
        const share = done === undefined || total === undefined ? '' : ` ${done}/${total}`;
        const last = text === undefined ? '' : ` ${oneLine(text.slice(-200))}`;
        screen.status(`${callText(known)}${share}${last}`);
        break;
      }
      case 'activity':
        if (event.data.activity === 'retrying' || event.data.activity === 'cooling') {
          screen.line(style.dim(`↺ ${oneLine(event.data.detail ?? event.data.activity)}`));
        }
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
    event(event: PawlEvent) {
      if ('seq' in event) durable(event);
      else transient(event);
    },
    async finish({ tally, view }) {
      screen.close();
      // Exactly what the agent said, where a program reads it; a terminal has seen it already, made safe.
      if (!isLive && tally.text !== '') await output.write(tally.text.endsWith('\n') ? tally.text : `${tally.text}\n`);
      for (const line of closingLines(tally, view, style)) screen.line(line);
      screen.line(summaryLine(tally, view, style));
    },
  };
}
