/** What an agent shows of its work besides its words and its calls. */
import { oneLine, visible } from '@pawl/engine/readers/visible';
import type { EventData, Question, Todo } from '@pawl/protocol';
import { todoLine } from '@pawl/protocol';
import { answerText } from '@pawl/terminal/text/question';
import type { Style } from '@pawl/terminal/text/style';

/** The agent's list, one entry a line. */
export function todoLines(todos: readonly Todo[], style: Style): string[] {
  const paints = { pending: (text: string) => text, in_progress: style.bold, completed: style.dim };
  return todos.map((todo) => `  ${paints[todo.status](oneLine(todoLine(todo)))}`);
}

/** What was answered, where it was not typed on this screen a moment ago. */
export function answerLines(
  { outcome, answers = [] }: EventData['question.answered'],
  questions: readonly Question[],
  style: Style,
): string[] {
  if (outcome === 'declined' || outcome === 'cancelled') return [];
  const why = { answered: '', timeout: ' (nobody answered in time)', unattended: ' (nobody is there)' }[outcome];
  return answers.map((answer, index) => {
    const header = oneLine(questions[index]?.header ?? 'answer');
    return `${style.green('→')} ${header}: ${answerText(answer)}${style.dim(why)}`;
  });
}

/** What a tool wants the person to read whole, with a sound where the terminal has one; null where there is nothing. */
export function noticeLine({ details }: EventData['tool.finished'], style: Style): string | null {
  const notice = details?.notice;
  return typeof notice === 'string' ? `${style.yellow('●')} ${visible(notice)}` : null;
}
