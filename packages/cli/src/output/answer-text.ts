/** What the agent says and thinks, as it comes: each word once, whatever is sent again. */
import { oneLine, visible } from '@pawl/engine/readers/visible';
import type { AssistantMessage } from '@pawl/protocol';
import { createMarkdown } from '@pawl/terminal/text/markdown';
import { createSafeText } from '@pawl/terminal/text/safe-text';
import { createStyle, wantsColour } from '@pawl/terminal/text/style';
import type { Screen } from './screen.ts';

type TextWriter = ReturnType<typeof createSafeText>;

export type AnswerText = {
  screen: Screen;
  /** Whether text goes to the screen as it streams. */
  isLive: boolean;
  showsThinking: boolean;
  writer: TextWriter;
  /** What of this step's text is on the screen already. */
  streamed: string;
  /** What the agent said beside its last calls. */
  said: string;
  /** What was thought and does not fill a line yet. */
  thought: string;
  hasThought: boolean;
};

export function createAnswerText(
  screen: Screen,
  { isLive, showsThinking }: Pick<AnswerText, 'isLive' | 'showsThinking'>,
): AnswerText {
  return {
    screen,
    isLive,
    showsThinking,
    writer: openWriter(),
    streamed: '',
    said: '',
    thought: '',
    hasThought: false,
  };
}

/** Text for this terminal: safe, and Markdown where it may have formats. */
function openWriter(): TextWriter {
  const safe = createSafeText();
  if (!wantsColour(process.stdout)) return safe;
  const markdown = createMarkdown(createStyle(true), () => Math.max(20, process.stdout.columns || 80));
  return {
    push: (text) => markdown.push(safe.push(text)),
    end: () => markdown.push(safe.end()) + markdown.end(),
  };
}

/** A piece of the answer. */
export function say(answer: AnswerText, text: string): void {
  answer.screen.status(null);
  answer.streamed += text;
  answer.screen.text(answer.writer.push(text));
}

/** What came while nobody looked: the screen gets the rest of it, or all of it if it shows something else. */
export function writeSnapshot(answer: AnswerText, text: string): void {
  if (!text.startsWith(answer.streamed)) withdraw(answer, 'it was begun anew');
  say(answer, text.slice(answer.streamed.length));
}

/** What was said does not count: the answer begins anew. */
export function withdraw(answer: AnswerText, reason: string): void {
  const { screen, streamed } = answer;
  if (streamed !== '') screen.line(screen.style.dim(`↺ Withdrawn: ${oneLine(reason)}`));
  beginAnew(answer);
}

function beginAnew(answer: AnswerText): void {
  answer.streamed = '';
  answer.writer = openWriter();
}

/** A piece of what the agent thinks, shown by whole lines. */
export function think(answer: AnswerText, text: string): void {
  const { screen, showsThinking } = answer;
  if (!showsThinking) return;
  const lines = (answer.thought + text).split('\n');
  answer.thought = lines.pop() ?? '';
  for (const line of lines) screen.line(screen.style.dim(visible(line)));
  answer.hasThought = true;
}

export function endThinking(answer: AnswerText): void {
  const { screen, thought } = answer;
  if (thought !== '') screen.line(screen.style.dim(visible(thought)));
  answer.thought = '';
}

/** The answer is whole. */
export function finishAnswer(answer: AnswerText, { content }: AssistantMessage): void {
  const { screen, isLive } = answer;
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  answer.said = text.trim();
  if (!answer.hasThought) for (const part of content) if (part.type === 'thinking') think(answer, part.text);
  endThinking(answer);
  answer.hasThought = false;
  if (isLive) {
    writeSnapshot(answer, text);
    screen.text(answer.writer.end());
    screen.endLine();
  } else if (answer.said !== '' && content.some(({ type }) => type === 'tool_call')) {
    screen.line(visible(text).trim());
  }
  beginAnew(answer);
}

/** What ends the turn is said last, unless the agent said it in words of its own. */
export function writeClosing(answer: AnswerText, text: string): void {
  if (!answer.isLive || text.trim() === answer.said) return;
  const writer = openWriter();
  answer.screen.text(`${writer.push(text)}${writer.end()}\n`);
}
