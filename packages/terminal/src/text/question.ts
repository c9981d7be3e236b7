/** What a person is shown of the questions that they are asked. */
import { oneLine, visible } from '@pawl/engine/readers/visible';
import type { Answer, Question } from '@pawl/protocol';
import type { Style } from './style.ts';

/** The question with its options, each with the key that chooses it. */
export function questionText(question: Question, number: number, count: number, style: Style): string[] {
  const { header, text, options } = question;
  const place = count === 1 ? '' : style.dim(`  (${number} of ${count})`);
  const title = `${style.yellow('?')} ${style.bold(oneLine(header))}${place}`;
  const lines = visible(text).split('\n');
  const offered = options.map(({ label, details = '' }, index) => {
    const more = details === '' ? '' : `  ${style.dim(oneLine(details))}`;
    return `${style.bold(String(index + 1))} ${oneLine(label)}${more}`;
  });
  return [title, ...[...lines, ...offered].map((line) => `  ${line}`)];
}

/** An answer in a few words. */
export function answerText({ choices, text }: Answer): string {
  const words = [...choices.map(oneLine), ...(text === undefined ? [] : [`“${oneLine(text)}”`])];
  return words.length === 0 ? 'none of them' : words.join(', ');
}
