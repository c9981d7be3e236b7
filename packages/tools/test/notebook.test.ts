import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memberSpan } from '../src/files/text/json-span.ts';
import { notebookText, replaceInNotebook } from '../src/files/text/notebook.ts';
import { createWorkspace } from './workspace.ts';

const cells = [
  { cell_type: 'markdown', id: 'intro', metadata: {}, source: ['# Title\n', 'Some "text"'] },
  {
    cell_type: 'code',
    execution_count: 1,
    id: 'c1',
    metadata: {},
    outputs: [
      { name: 'stdout', output_type: 'stream', text: ['42\n'] },
      { data: { 'image/png': 'aGk=', 'text/plain': ['<Figure>'] }, output_type: 'display_data' },
      { ename: 'ValueError', evalue: 'bad', output_type: 'error', traceback: [] },
    ],
    source: 'x = 1\nprint(x)',
  },
  { cell_type: 'code', id: 'c2', metadata: {}, outputs: [], source: [] },
];
const notebook = `${JSON.stringify({ cells, metadata: { note: 'x = 1' }, nbformat: 4 }, null, 1)}\n`;

describe('T3: notebooks', () => {
  it('are read as cells with their outputs', async () => {
    const { folder, call } = createWorkspace();
    writeFileSync(join(folder, 'n.ipynb'), notebook);
    const { content } = await call('read', { path: 'n.ipynb' });
    expect(content.replace(/^ +\d+\t/gm, '')).toBe(
      [
        ...['=== cell 1: markdown intro', '# Title', 'Some "text"', '=== cell 2: code c1', 'x = 1', 'print(x)'],
        ...['--- output', '42', '<Figure> (image/png)', 'ValueError: bad', '=== cell 3: code c2'],
        '(a notebook; edit works on the source of its cells)',
      ].join('\n'),
    );
  });

  it('are edited in the source of a cell, and not one byte beside it changes', async () => {
    const { folder, call } = createWorkspace();
    const file = join(folder, 'n.ipynb');
    writeFileSync(file, notebook);
    await call('read', { path: 'n.ipynb' });
    await call('edit', { path: 'n.ipynb', old: 'x = 1', new: 'x = "é"\ny = 2' });
    expect(readFileSync(file, 'utf8')).toBe(notebook.replace('"x = 1\\nprint(x)"', '"x = \\"é\\"\\ny = 2\\nprint(x)"'));
    await call('edit', { path: 'n.ipynb', old: '# Title\nSome', new: '# New\n\nAny' });
    expect(readFileSync(file, 'utf8')).toContain(
      '   "source": [\n    "# New\\n",\n    "\\n",\n    "Any \\"text\\""\n   ]',
    );
  });

  it('say in which cells a text is, or which is near', () => {
    expect(() => replaceInNotebook(notebook, { old: 'x', new: 'y' }, 'n')).toThrow('in cells 1, 2');
    expect(() => replaceInNotebook(notebook, { old: 't', new: 'y' }, 'n')).toThrow(/cells 1, 2/);
    expect(() => replaceInNotebook(notebook, { old: '  print(x)', new: 'y' }, 'n')).toThrow(
      /cell 2 of n\. Line 2 differs only in white space/,
    );
    expect(() => replaceInNotebook(notebook, { old: 'zzzzz', new: 'y' }, 'n')).toThrow('the cells of n');
  });

  it('are edited around their cells as the JSON that they are, if it stays a notebook', () => {
    expect(replaceInNotebook(notebook, { old: '"nbformat": 4', new: '"nbformat": 5' }, 'n')).toContain('"nbformat": 5');
    expect(() => replaceInNotebook(notebook, { old: '"nbformat": 4', new: '"nbformat": ' }, 'n')).toThrow(
      /no notebook any more/,
    );
    expect(notebookText('no JSON')).toBeNull();
    expect(replaceInNotebook('no JSON', { old: 'no', new: 'any' }, 'n')).toBe('any JSON');
  });

  it('and any other JSON have their values found where they stand', () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue(), { minLength: 1 }),
        fc.nat(),
        fc.constantFrom(0, 1, '\t'),
        (list, at, space) => {
          const index = at % list.length;
          const text = JSON.stringify({ a: 1, '"b': { list } }, null, space);
          const span = memberSpan(text, ['"b', 'list', index]);
          if (span === null) throw new Error('not found');
          expect(JSON.parse(text.slice(span.start, span.end))).toEqual(JSON.parse(JSON.stringify(list[index])));
        },
      ),
    );
    expect(memberSpan('{"a":[1]}', ['a', 1])).toBeNull();
    expect(memberSpan('{"a":[1]}', ['b'])).toBeNull();
    expect(memberSpan('[1]', ['b'])).toBeNull();
  });
});
