import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMarkdown } from '../src/text/markdown.ts';
import { createStyle } from '../src/text/style.ts';
import { textWidth } from '../src/text/width.ts';

/** As it comes in pieces of so many characters. */
function render(text: string, { size = text.length, columns = 60, isColoured = true } = {}): string {
  const markdown = createMarkdown(createStyle(isColoured), () => columns);
  let shown = '';
  for (let at = 0; at < text.length; at += Math.max(1, size))
    shown += markdown.push(text.slice(at, at + Math.max(1, size)));
  return shown + markdown.end();
}
const plain = (text: string, columns?: number) =>
  render(text, { isColoured: false, ...(columns !== undefined && { columns }) });

const sample = `# A *plan* for \`x\`

Some **bold words** and _one_ and \`code span\`, 2 * 3 * 4, snake_case_name and **open.

- first item that is long enough to be wrapped at some point of its row
  - nested
1. number
> quoted words

| a | b |
| --- | --- |
| **1** | two |

\`\`\`ts
const   x = "**not bold**"; // ${'long '.repeat(20)}
\`\`\`
---
The end`;

describe('E2: Markdown on a terminal', () => {
  it('is shown without its marks, wrapped, code as it is', () => {
    expect(plain(sample)).toBe(
      `A plan for x

Some bold words and one and code span, 2 * 3 * 4,
snake_case_name and **open.

• first item that is long enough to be wrapped at some point
  of its row
  • nested
1. number
│ quoted words

a │ b
──┼────
1 │ two

\`\`\`ts
const   x = "**not bold**"; // ${'long '.repeat(20)}
\`\`\`
${'─'.repeat(40)}
The end`,
    );
  });

  it('has bold, italic, code and headings in their formats', () => {
    expect(render('**b** *i* `c`')).toBe('\u001b[1mb\u001b[22m \u001b[3mi\u001b[23m \u001b[36mc\u001b[39m');
    expect(render('## Head')).toBe('\u001b[1mHead\u001b[22m');
  });

  it('is the same in whatever pieces it comes', () => {
    const whole = render(sample);
    for (const size of [1, 2, 3, 7, 50]) expect(render(sample, { size })).toBe(whole);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('*', '**', '_', '`', '```', '\n', ' ', 'a', 'bc', '|', '#', '- ', '1.', '>')),
        (parts) => {
          const text = parts.join('');
          expect(render(text, { size: 1 })).toBe(render(text));
        },
      ),
    );
  });

  it('shows each word as soon as it is certain', () => {
    const markdown = createMarkdown(createStyle(false), () => 60);
    expect(markdown.push('Hello wor')).toBe('Hello');
    expect(markdown.push('ld, **bo')).toBe(' world,');
    expect(markdown.push('ld** again')).toBe(' bold');
    expect(markdown.end()).toBe(' again');
  });

  it('loses no letter, and writes no row that is wider than the terminal where words fit', () => {
    const letters = (text: string) => stripVTControlCharacters(text).replace(/[^a-z]/g, '');
    const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1 });
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 80 }), (list, columns) => {
        const text = list.join(' ');
        const shown = plain(text, columns);
        expect(letters(shown)).toBe(letters(text));
        for (const row of shown.split('\n')) expect(textWidth(row)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});
