/** What keeps a text from being the summary of a conversation. */
import { tokensOfMessages, tokensOfText } from '../../core/index.ts';
import type { Heading } from './headings.ts';
import { headings, sectionsOf } from './headings.ts';
import type { Job } from './job.ts';

/** Characters, without the headings. */
const shortest = 120;
/** What short conversations may be summarised in, however short they were. */
const alwaysAllowedTokens = 400;
/** Corrections that have to be named: the latest. */
const maxNamed = 20;

export function problemsOf(summary: string, job: Job): string[] {
  const sections = sectionsOf(summary);
  const missing = headings.filter((heading) => !sections.has(heading));
  const said = [...sections.values()].flat().join('\n').trim();
  return [
    ...(missing.length === 0 ? [] : [`It lacks the headings: ${missing.join(', ')}.`]),
    ...(said.length >= shortest ? [] : [`It is too short to go on with: ${said.length} characters.`]),
    ...tooLong(summary, job),
    ...finishedAsOpen(sections, job),
    ...unnamed(sections, job),
  ];
}

function tooLong(summary: string, { messages }: Job): string[] {
  const [tokens, replaced] = [tokensOfText(summary), tokensOfMessages(messages)];
  return tokens <= Math.max(replaced, alwaysAllowedTokens)
    ? []
    : ['It is longer than the conversation that it stands for.'];
}

function finishedAsOpen(sections: ReadonlyMap<Heading, string[]>, { todos }: Job): string[] {
  const next = (sections.get('Next steps') ?? []).filter(
    (line) => !/\[x\]|\b(?:done|finished|completed)\b/i.test(line),
  );
  const isOpen = (text: string) => todos.some((todo) => todo.status !== 'completed' && plain(todo.text).includes(text));
  return todos
    .filter(({ status, text }) => status === 'completed' && plain(text) !== '' && !isOpen(plain(text)))
    .filter(({ text }) => next.some((line) => plain(line).includes(plain(text))))
    .map(({ text }) => `It lists "${text}" as a next step, which is done.`);
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

/** Writing that puts no spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The longer words of a text; of writing without spaces each two characters that stand together. */
function wordsIn(text: string): string[] {
  return plain(text)
    .split(' ')
    .flatMap((word) => {
      if (!unspaced.test(word)) return word.length > 3 ? [word] : [];
      const characters = [...word];
      return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
    });
}

/** A correction is named when most of its longer words are there. */
function unnamed(sections: ReadonlyMap<Heading, string[]>, { corrections }: Job): string[] {
  const named = new Set(wordsIn((sections.get('Corrections and constraints') ?? []).join(' ')));
  return corrections
    .slice(-maxNamed)
    .filter((correction) => {
      const words = [...new Set(wordsIn(correction))].slice(0, 40);
      return words.filter((word) => named.has(word)).length < words.length / 2;
    })
    .map((correction) => `It does not name what the person said: "${correction.slice(0, 200).toWellFormed()}"`);
}
