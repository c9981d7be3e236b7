import type { ModelEvent } from '@pawl/engine';
import type { Json, JsonObject, Message, ToolStatus } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { understand } from '../src/demo/understand.ts';
import { demo } from '../src/index.ts';
import { answerOf, assistant, call, request, results, user } from './support.ts';

const allTools = ['read', 'write', 'edit', 'delete', 'list', 'glob', 'grep', 'bash'].map((name) => ({
  name,
  description: '',
  inputSchema: {},
}));

type Answer = string | { status: ToolStatus; content: string };
type Folder = { [path: string]: string };

/** Tools on a folder that is a plain object, with the formats of the real ones. */
function toolsOn(folder: Folder): (tool: string, input: JsonObject) => Answer {
  const inside = (path: string, root: Json | undefined) =>
    root === undefined || path === root || path.startsWith(`${String(root)}/`);
  return (tool, input) => {
    const path = String(input.path ?? '');
    switch (tool) {
      case 'grep': {
        const pattern = new RegExp(String(input.pattern));
        return Object.entries(folder)
          .filter(([file]) => inside(file, input.path))
          .flatMap(([file, text]) =>
            text.split('\n').flatMap((row, n) => (pattern.test(row) ? [`${file}:${n + 1}:${row}`] : [])),
          )
          .join('\n');
      }
      case 'glob': {
        const glob = String(input.pattern);
        const ending = /^\*\*\/\*\.(?:\{(.*)\}|(.*))$/.exec(glob);
        const endings = ending?.[1]?.split(',') ?? [ending?.[2]];
        return Object.keys(folder)
          .filter((file) => inside(file, input.path))
          .filter((file) =>
            glob === '**/*' ? true : ending ? endings.some((one) => file.endsWith(`.${one}`)) : file === glob,
          )
          .join('\n');
      }
      case 'read': {
        const text = folder[path];
        if (text === undefined) return { status: 'error', content: `There is no ${path}.` };
        return text
          .replace(/\n$/, '')
          .split('\n')
          .map((row, n) => `${String(n + 1).padStart(5)}\t${row}`)
          .join('\n');
      }
      case 'write':
        folder[path] = String(input.content);
        return `Wrote ${path}.`;
      case 'edit':
        folder[path] = (folder[path] ?? '').replaceAll(String(input.old), String(input.new));
        return `Edited ${path}.`;
      case 'bash': {
        const move = /^mv -n -- (\S+) (\S+)$/.exec(String(input.command));
        if (move?.[1] !== undefined && move[2] !== undefined) {
          folder[move[2]] = folder[move[1]] ?? '';
          delete folder[move[1]];
        }
        return `ran ${String(input.command)}`;
      }
      default:
        throw new Error(`No tool ${tool}`);
    }
  };
}

/** Runs a turn to its end; the calls of each step, and the last words. */
async function run(asked: string, tool: (tool: string, input: JsonObject) => Answer) {
  const messages: Message[] = [
    user('An older question.'),
    assistant([{ type: 'text', text: 'An answer.' }], 'demo'),
    user(asked),
  ];
  const steps: string[][] = [];
  for (let step = 1; step < 30; step++) {
    const message = await answerOf(demo(), request(messages, { tools: allTools }));
    const content = message.content.map((part, n) =>
      part.type === 'tool_call' ? { ...part, id: `s${step}_c${n}` } : part,
    );
    messages.push(assistant(content, 'demo'));
    const calls = content.filter((part) => part.type === 'tool_call');
    const said = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    expect(message.stopReason).toBe(calls.length === 0 ? 'end' : 'tool_calls');
    if (calls.length === 0) return { steps, said };
    steps.push(calls.map(({ tool: name, input }) => `${name} ${String(input.path ?? input.command ?? input.pattern)}`));
    messages.push(
      results(
        ...calls.map((one) => {
          const answer = tool(one.tool, one.input);
          return { call: one.id, tool: one.tool, ...(typeof answer === 'string' ? { content: answer } : answer) };
        }),
      ),
    );
  }
  throw new Error('The demo does not come to an end.');
}

const source: () => Folder = () => ({
  'src/a.ts': 'one\n// TODO: first\nconst TODOs = 1;\n// TODO `second`\n',
  'src/b.ts': '// TODO third\n',
  'README.md': '# Things\n\nThis is a small project about things.\n\n## Use\n\nfoo foo\n',
});

describe('the demo', () => {
  it('finds every TODO and writes a report, grouped by file', async () => {
    const folder = source();
    const { steps, said } = await run('Find every TODO in this folder and write a report to TODO.md', toolsOn(folder));
    expect(steps).toEqual([['grep \\bTODO\\b', 'glob TODO.md'], ['write TODO.md']]);
    expect(folder['TODO.md']).toBe(
      [
        '# TODO report',
        '3 matches in 2 files.',
        '| File | Matches |\n| --- | ---: |\n| src/a.ts | 2 |\n| src/b.ts | 1 |',
        '## src/a.ts (2)',
        '- line 2: `// TODO: first`\n- line 4: `` // TODO `second` ``',
        '## src/b.ts (1)',
        '- line 1: `// TODO third`\n',
      ].join('\n\n'),
    );
    expect(said).toContain('TODO.md');
    expect(said).toContain('3 lines');
  });

  it('writes the same report a second time: it leaves its own report out, and reads it before it replaces it', async () => {
    const folder = source();
    const asked = 'Find every TODO in this folder and write a report to TODO.md';
    await run(asked, toolsOn(folder));
    const first = folder['TODO.md'];
    const { steps } = await run(asked, toolsOn(folder));
    expect(steps).toEqual([['grep \\bTODO\\b', 'glob TODO.md'], ['read TODO.md'], ['write TODO.md']]);
    expect(folder['TODO.md']).toBe(first);
  });

  it('says in its report that a search was cut short', async () => {
    const folder = source();
    const tool = toolsOn(folder);
    await run('Find every TODO and write a report to out.md', (name, input) =>
      name === 'grep' ? `${String(tool(name, input))}\n(cut after 3 of 900 matches)` : tool(name, input),
    );
    expect(folder['out.md']).toContain('(cut after 3 of 900 matches)');
  });

  it('says what was refused', async () => {
    const tool = toolsOn(source());
    const { said } = await run('Find every TODO in this folder and write a report to TODO.md', (name, input) =>
      name === 'write' ? { status: 'denied', content: 'Nobody is there to ask.' } : tool(name, input),
    );
    expect(said).toContain('not written');
    expect(said).toContain('`write TODO.md` was refused: Nobody is there to ask.');
  });

  it('lists files of a kind', async () => {
    const { steps, said } = await run('List the TypeScript files', toolsOn(source()));
    expect(steps).toEqual([['glob **/*.{ts,tsx,mts,cts}']]);
    expect(said).toContain('2 files');
    expect(said).toContain('- src/b.ts');
    expect(said).not.toContain('README.md');
  });

  it('counts lines, reading all files at once', async () => {
    const { steps, said } = await run('Count the lines of each file in src', toolsOn(source()));
    expect(steps[1]).toEqual(['read src/a.ts', 'read src/b.ts']);
    expect(said).toContain('5 lines in 2 files.');
    expect(said).toContain('- src/a.ts: 4');
  });

  it('reads many files in batches', async () => {
    const folder = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`f${n}.txt`, 'x\n']));
    const { steps, said } = await run('Count the lines of each file', toolsOn(folder));
    expect(steps.map(({ length }) => length)).toEqual([1, 12, 12, 6]);
    expect(said).toContain('30 lines in 30 files.');
  });

  it('summarises a file', async () => {
    const { said } = await run('Summarise README.md', toolsOn(source()));
    expect(said).toContain('README.md has 7 lines');
    expect(said).toContain('Things, Use');
    expect(said).toContain('This is a small project about things.');
  });

  it('summarises the folder', async () => {
    const { steps, said } = await run('Summarise this project', toolsOn(source()));
    expect(steps).toEqual([['glob **/*'], ['read README.md']]);
    expect(said).toContain('3 files');
  });

  it('renames a file, but not over another, and not one that is not there', async () => {
    const folder: Folder = { 'a.txt': 'A' };
    expect((await run('Rename a.txt to b.txt', toolsOn(folder))).said).toBe('a.txt is now b.txt.');
    expect(folder).toEqual({ 'b.txt': 'A' });
    expect((await run('Rename a.txt to c.txt', toolsOn(folder))).said).toContain('no file a.txt');
    folder['c.txt'] = 'C';
    expect((await run('rename b.txt to c.txt', toolsOn(folder))).said).toContain('exists already');
    expect(folder).toEqual({ 'b.txt': 'A', 'c.txt': 'C' });
  });

  it('replaces a word in all files that have it, at once', async () => {
    const folder: Folder = { 'src/a': 'foo foo', 'src/b': 'no', 'src/c': 'a.foo()', other: 'foo' };
    const { steps, said } = await run('Replace foo with bar in src', toolsOn(folder));
    expect(steps).toEqual([['grep src'], ['read src/a', 'read src/c'], ['edit src/a', 'edit src/c']]);
    expect(folder).toEqual({ 'src/a': 'bar bar', 'src/b': 'no', 'src/c': 'a.bar()', other: 'foo' });
    expect(said).toContain('2 files');
  });

  it('runs a command and tells how it ended', async () => {
    expect((await run('Run npm test', toolsOn({}))).said).toContain('ran npm test');
    const failed = await run('Run npm test', () => ({ status: 'error', content: '1 failed\nExit code 1' }));
    expect(failed.said).toContain('failed');
    expect(failed.said).toContain('Exit code 1');
    const denied = await run('Run npm test', () => ({ status: 'denied', content: 'Not now.' }));
    expect(denied.said).toContain('was refused: Not now.');
  });

  it.each(['', 'Write me a poem', 'Why is the sky blue?', 'hello'])(
    'says what it is when it does not understand “%s”',
    async (asked) => {
      const message = await answerOf(demo(), request([user(asked)], { tools: allTools }));
      expect(message.content).toEqual([
        { type: 'text', text: expect.stringContaining('not a language model') as string },
      ]);
    },
  );

  it('names the tools that it would need', async () => {
    const message = await answerOf(demo(), request([user('Run npm test')]));
    expect(message.content).toEqual([{ type: 'text', text: expect.stringContaining('`bash`') as string }]);
  });

  it('streams its words and calls, and their sum is the message; it costs nothing', async () => {
    const events = await call(
      demo(),
      request([user('Find every TODO and write a report to x.md')], { tools: allTools }),
    );
    const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
    expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(3);
    expect(events.filter(({ type }) => type === 'input_complete')).toHaveLength(2);
    const last = events.at(-1) as ModelEvent & { type: 'finished' };
    expect(last.message.content[0]).toEqual({ type: 'text', text });
    expect(last.message.costUsd).toBe(0);
    expect(last.message.usage.inputTokens).toBeGreaterThan(0);
  });

  it('stops at once when it is cancelled', async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(call(demo(), request([user('hello')]), controller.signal)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});

describe('what the demo understands', () => {
  it.each([
    [
      'Find every TODO in this folder and write a report to TODO.md',
      { do: 'find', pattern: 'TODO', folder: '.', report: 'TODO.md' },
    ],
    [
      'find all todos in src/lib and save them to notes/todo.txt',
      { do: 'find', pattern: 'TODO', folder: 'src/lib', report: 'notes/todo.txt' },
    ],
    [
      'Write a report of every FIXME in src to report.md.',
      { do: 'find', pattern: 'FIXME', folder: 'src', report: 'report.md' },
    ],
    ['Search for "foo bar" in docs', { do: 'find', pattern: 'foo bar', folder: 'docs', report: null }],
    ['Find the word engine in README.md', { do: 'find', pattern: 'engine', folder: 'README.md', report: null }],
    [
      'Please list the files in src',
      { do: 'list', kind: { name: 'files', glob: '**/*' }, folder: 'src', report: null },
    ],
    [
      'Find all .json files',
      { do: 'list', kind: { name: '.json files', glob: '**/*.json' }, folder: '.', report: null },
    ],
    [
      'List all files that match *.test.ts in packages',
      {
        do: 'list',
        kind: { name: 'files that match *.test.ts', glob: '**/*.test.ts' },
        folder: 'packages',
        report: null,
      },
    ],
    [
      'How many Python files are in this folder?',
      { do: 'count_files', kind: { name: 'Python files', glob: '**/*.py' }, folder: '.', report: null },
    ],
    [
      'Count the lines of each TypeScript file in src',
      {
        do: 'count_lines',
        kind: { name: 'TypeScript files', glob: '**/*.{ts,tsx,mts,cts}' },
        path: 'src',
        report: null,
      },
    ],
    ['Count TODOs in src', { do: 'find', pattern: 'TODO', folder: 'src', report: null }],
    [
      'Summarize the file docs/guide.md and write it to summary.md',
      { do: 'summarise', path: 'docs/guide.md', report: 'summary.md' },
    ],
    ['Rename the file a.txt to b.txt', { do: 'rename', from: 'a.txt', to: 'b.txt' }],
    ['Move "my file.txt" to old.txt', { do: 'rename', from: 'my file.txt', to: 'old.txt' }],
    [
      'Replace every "foo bar" with `baz` in src/a.ts.',
      { do: 'replace', old: 'foo bar', new: 'baz', path: 'src/a.ts' },
    ],
    ['Replace foo by bar', { do: 'replace', old: 'foo', new: 'bar', path: '.' }],
    ['Run npm test', { do: 'run', command: 'npm test' }],
    ['run the command `ls -la | wc -l`', { do: 'run', command: 'ls -la | wc -l' }],
    ['What a day', null],
  ])('%s', (sentence, task) => {
    expect(understand(sentence)).toEqual(task);
  });
});
