/** Asks a person at the terminal what the agent wants to know. */
import type { Answer, PendingQuestions, Question } from '@pawl/protocol';
import { answerText, questionText } from '@pawl/terminal/text/question';
import { askLine, interruptKey } from '../approvals/keyboard.ts';
import type { AskTerminal, Choice } from '../approvals/keys.ts';
import { askKey, enterKey } from '../approvals/keys.ts';

export type Reply =
  | { kind: 'answers'; answers: Answer[] }
  | { kind: 'decline'; reason: string | null }
  | { kind: 'interrupt' }
  /** Settled elsewhere, or the time ran out. */
  | { kind: 'withdrawn' };

type Given = { kind: 'answer'; answer: Answer } | { kind: 'back' } | Exclude<Reply, { kind: 'answers' }>;

/** One question after another; nothing is sent before the last is answered, and until then one can go back. */
export async function askQuestions(
  asked: PendingQuestions,
  terminal: AskTerminal,
  signal: AbortSignal,
): Promise<Reply> {
  const { questions } = asked;
  const answers: Answer[] = [];
  while (answers.length < questions.length) {
    const number = answers.length + 1;
    const question = questions[answers.length];
    if (question === undefined) break;
    for (const line of questionText(question, number, questions.length, terminal.style)) {
      terminal.output.write(`${line}\n`);
    }
    const given = await askOne(question, { canGoBack: number > 1, expiresAt: asked.expiresAt }, terminal, signal);
    if (given.kind === 'answer') answers.push(given.answer);
    else if (given.kind === 'back') answers.pop();
    else return given;
  }
  return { kind: 'answers', answers };
}

type Place = { canGoBack: boolean; expiresAt: number | null };

async function askOne(question: Question, place: Place, terminal: AskTerminal, signal: AbortSignal): Promise<Given> {
  const chosen = new Set<string>();
  for (;;) {
    const prompt = promptOf(question, chosen);
    const key = await askKey(
      { prompt, choices: choicesOf(question, chosen, place), expiresAt: place.expiresAt },
      terminal,
      signal,
    );
    if (key === null) return { kind: 'withdrawn' };
    if (key === interruptKey) return { kind: 'interrupt' };
    if (key === 'b') return { kind: 'back' };
    if (key === 'n') {
      const said = await askWords('Why not? (for the model; Enter for nothing) ', terminal, signal);
      if (said === null) continue;
      return typeof said === 'string' ? { kind: 'decline', reason: said === '' ? null : said } : said;
    }
    if (key === 'w') {
      const said = await askWords('Your answer: ', terminal, signal);
      if (said === null || said === '') continue;
      if (typeof said !== 'string') return said;
      return { kind: 'answer', answer: { choices: [...chosen], text: said } };
    }
    if (key === enterKey) {
      if (chosen.size === 0 && question.default !== undefined) return { kind: 'answer', answer: question.default };
      return { kind: 'answer', answer: { choices: [...chosen] } };
    }
    const label = question.options[Number(key) - 1]?.label;
    if (label === undefined) continue;
    if (!question.isMultiple) return { kind: 'answer', answer: { choices: [label] } };
    if (!chosen.delete(label)) chosen.add(label);
  }
}

function promptOf({ isMultiple, options }: Question, chosen: ReadonlySet<string>): string {
  if (options.length === 0) return 'Answer?';
  if (!isMultiple) return 'Which?';
  const numbers = options.flatMap(({ label }, index) => (chosen.has(label) ? [index + 1] : []));
  return `Which? [${numbers.join(' ')}]`;
}

function choicesOf(question: Question, chosen: ReadonlySet<string>, { canGoBack }: Place): Choice[] {
  const { options, isMultiple, takesText } = question;
  const numbers = options.map((_, index) => ({ key: String(index + 1), text: '' }));
  const enter = isMultiple ? 'confirm' : '';
  // The default is for whoever has chosen nothing.
  const enterText = question.default === undefined || chosen.size > 0 ? enter : answerText(question.default);
  return [
    ...numbers,
    ...(takesText ? [{ key: 'w', text: options.length === 0 ? 'write' : 'other words' }] : []),
    ...(enterText === ''
      ? []
      : [{ key: enterKey, text: isMultiple && enterText !== enter ? `confirm (${enterText})` : enterText }]),
    ...(canGoBack ? [{ key: 'b', text: 'back' }] : []),
    { key: 'n', text: 'no answer' },
  ];
}

/** A line of words, trimmed; null to go back. */
async function askWords(
  prompt: string,
  { stdin, output }: AskTerminal,
  signal: AbortSignal,
): Promise<string | null | Extract<Given, { kind: 'interrupt' | 'withdrawn' }>> {
  const line = await askLine(stdin, output, prompt, { signal });
  if (signal.aborted) return { kind: 'withdrawn' };
  if (line.kind === 'interrupt') return { kind: 'interrupt' };
  return line.kind === 'line' ? line.text.trim() : null;
}
