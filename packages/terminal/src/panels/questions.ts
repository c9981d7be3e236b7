/** What the agent wants to know: one question after another; nothing is sent before the last is answered. */

import { oneLine } from '@pawl/engine/readers/visible';
import type { Answer, PendingQuestions, Question } from '@pawl/protocol';
import type { Composer } from '../composer/composer.ts';
import { isKeyRelease, parseKey } from '../pi-tui.ts';
import { leftText } from '../text/left.ts';
import { answerText, questionText } from '../text/question.ts';
import type { Style } from '../text/style.ts';
import { wrapStyled } from '../text/wrap-styled.ts';
import { type KeyHint, keysLines } from './keys-line.ts';
import { type Panel, windowed } from './panel.ts';

export type QuestionsReply = { kind: 'answers'; answers: Answer[] } | { kind: 'decline'; reason: string | null };

export type QuestionsPanelOptions = {
  asked: PendingQuestions;
  task: string | null;
  style: Style;
  openLine(onSubmit: (text: string) => void): Composer;
  now(): number;
  reply(reply: QuestionsReply): void;
  changed(): void;
};

export function createQuestionsPanel(options: QuestionsPanelOptions): Panel {
  const { asked, task, style, reply, changed } = options;
  const answers: Answer[] = [];
  let chosen = new Set<string>();
  let line: { composer: Composer; words: string } | null = null;
  let from = 0;

  const current = (): Question | undefined => asked.questions[answers.length];
  const give = (answer: Answer) => {
    answers.push(answer);
    chosen = new Set();
    line = null;
    if (answers.length === asked.questions.length) reply({ kind: 'answers', answers });
  };
  const write = (words: string, then: (text: string) => void) => {
    line = { words, composer: options.openLine(then) };
  };

  const press = (question: Question, key: string) => {
    const option = question.options[Number(key) - 1]?.label;
    if (option !== undefined) {
      if (!question.isMultiple) give({ choices: [option] });
      else if (!chosen.delete(option)) chosen.add(option);
    } else if (key === 'w' && question.takesText) {
      write('Your answer; Enter gives it, Esc goes back', (text) => {
        if (text.trim() !== '') give({ choices: [...chosen], text: text.trim() });
      });
    } else if (key === 'enter') {
      if (chosen.size === 0 && question.default !== undefined) give(question.default);
      else if (question.isMultiple) give({ choices: [...chosen] });
    } else if (key === 'b' && answers.length > 0) {
      answers.pop();
      chosen = new Set();
    } else if (key === 'n') {
      write('Why not? It is told to the model; Enter for no reason, Esc goes back', (text) =>
        reply({ kind: 'decline', reason: text.trim() === '' ? null : text.trim() }),
      );
    } else if (key === 'down') from += 1;
    else if (key === 'up') from -= 1;
  };

  return {
    draw({ columns, rows, isReady }) {
      const question = current();
      if (question === undefined) return { rows: [], cursor: null };
      const who = task === null ? [] : [style.dim(`Task ${oneLine(task)}:`)];
      const marked = questionText(question, answers.length + 1, asked.questions.length, style).map(
        (row, index, all) => {
          const option = question.options[index - (all.length - question.options.length)];
          return option !== undefined && chosen.has(option.label) ? `${style.green('✓')} ${row.slice(2)}` : row;
        },
      );
      const left = leftText(asked.expiresAt, options.now());
      const time = left === '' ? [] : [style.dim(`${left} left`)];
      const written = line?.composer.draw(columns) ?? null;
      const below = !isReady
        ? [style.dim('…')]
        : line === null || written === null
          ? [...keysLines(hints(question, chosen, answers.length > 0), columns, style), ...time]
          : [...wrapStyled(style.dim(line.words), columns), ...written.rows];
      const body = [...who, ...marked].flatMap((row) => wrapStyled(row, columns));
      const shown = windowed(body, {
        from,
        room: Math.max(3, rows - below.length),
        more: (more) => style.yellow(`… ${more} more lines; ↓ shows them`),
      });
      from = shown.from;
      const offset = shown.rows.length + below.length - (written?.rows.length ?? 0);
      const cursor = written === null ? null : { row: offset + written.cursor.row, column: written.cursor.column };
      return { rows: [...shown.rows, ...below], cursor };
    },
    press(data) {
      if (isKeyRelease(data)) return;
      const key = parseKey(data) ?? data;
      const question = current();
      if (line !== null) {
        if (key === 'escape') line = null;
        else line.composer.press(data);
      } else if (question !== undefined) press(question, key);
      changed();
    },
  };
}

function hints(
  { options, isMultiple, takesText, default: usual }: Question,
  chosen: ReadonlySet<string>,
  canGoBack: boolean,
): KeyHint[] {
  const hasDefault = usual !== undefined && chosen.size === 0;
  return [
    ...(options.length > 0 ? [['1', options.length > 1 ? `to ${options.length}` : 'this'] as KeyHint] : []),
    ...(takesText ? [['w', options.length === 0 ? 'write' : 'own words'] as KeyHint] : []),
    ...(hasDefault ? [['Enter', answerText(usual)] as KeyHint] : isMultiple ? [['Enter', 'confirm'] as KeyHint] : []),
    ...(canGoBack ? [['b', 'back'] as KeyHint] : []),
    ['n', 'no answer'],
  ];
}
