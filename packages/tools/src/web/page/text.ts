/** A page's words without its markup, in one pass over it: no page is too deep or too odd for that. */
import { Parser } from 'htmlparser2';

export type ReadablePage = { title: string; text: string };

const silent = new Set(['script', 'style', 'noscript', 'template', 'svg', 'head', 'iframe', 'object']);
/** What stands by itself, and what only begins a line. */
const blocks = new Set(
  'address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul'.split(
    ' ',
  ),
);
const lines = new Set(['br', 'dd', 'dt', 'figcaption', 'li', 'summary', 'tr']);
const spaced = new Set(['td', 'th', 'option', 'button']);

export function textOf(html: string): ReadablePage {
  const pieces: string[] = [];
  let title = '';
  let isInTitle = false;
  let silentDepth = 0;
  let preDepth = 0;
  const parser = new Parser({
    onopentagname(name) {
      if (silent.has(name)) silentDepth++;
      if (name === 'title') isInTitle = title === '';
      if (name === 'pre') preDepth++;
      if (blocks.has(name) || lines.has(name)) pieces.push('\n');
      else if (spaced.has(name) && pieces.at(-1) !== '\n') pieces.push(' ');
    },
    ontext(text) {
      if (isInTitle) title += text;
      else if (silentDepth === 0) pieces.push(preDepth > 0 ? text : text.replace(/\s+/g, ' '));
    },
    onclosetag(name) {
      if (silent.has(name)) silentDepth--;
      if (name === 'title') isInTitle = false;
      if (name === 'pre') preDepth--;
      if (blocks.has(name)) pieces.push('\n');
    },
  });
  parser.end(html);
  return { title: oneLine(title), text: tidy(pieces.join('')) };
}

export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 300);

/** At most one empty line in a row, and none with blanks at its end. */
export function tidy(text: string): string {
  const trimmed = text.split('\n').map((line) => line.trimEnd());
  return trimmed
    .filter((line, index) => line !== '' || (trimmed[index - 1] ?? '') !== '')
    .join('\n')
    .trim();
}
