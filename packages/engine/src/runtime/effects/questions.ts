/** Validates the questions of a plan, which come from tools that anybody may write. */
import type { Question } from '@pawl/protocol';
import { answerProblem } from '../../core/index.ts';

/** Questions that one call may ask. */
const maxQuestions = 8;
/** Options that one question may have. */
const maxOptions = 9;

/** @throws an error with a sentence for the author of the tool. */
export function checkQuestions(questions: readonly Question[]): void {
  if (!Array.isArray(questions)) throw new Error('The questions are no list.');
  if (questions.length > maxQuestions) throw new Error(`Ask at most ${maxQuestions} questions at once.`);
  for (const question of questions) {
    const { header, text, options } = question;
    if (typeof header !== 'string' || typeof text !== 'string' || !Array.isArray(options)) {
      throw new Error('A question has a header, a text and a list of options.');
    }
    if (header.trim() === '' || text.trim() === '')
      throw new Error('A question has a header and a text that are not empty.');
    if (options.length > maxOptions) throw new Error(`"${header}" has more than ${maxOptions} options.`);
    const labels = options.map(({ label }) => label);
    if (labels.some((label) => typeof label !== 'string' || label.trim() === '')) {
      throw new Error(`"${header}" has an option without a label.`);
    }
    if (new Set(labels).size < labels.length) throw new Error(`"${header}" has the same option twice.`);
    if (labels.length === 0 && !question.takesText) throw new Error(`"${header}" cannot be answered: give it options.`);
    const problem = question.default === undefined ? null : answerProblem(question, question.default);
    if (problem !== null) throw new Error(`The default is no answer: ${problem}`);
  }
}
