import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPrinter } from '../../src/lines/printer.ts';
import { withoutFirst } from '../../src/model/change.ts';
import { fold } from '../../src/model/fold.ts';
import { emptyModel } from '../../src/model/model.ts';
import { createStyle } from '../../src/text/style.ts';
import { answer, ended, eventsOf, finished, started, streaming, text, thinking } from '../model/events.ts';

const look = (columns = 60, isUnfolded = false) => ({ style: createStyle(false), columns, now: 20_000, isUnfolded });

/** What stands frozen in the end, and what was live after each event. */
function printed(events: ReturnType<typeof eventsOf>, columns = 60) {
  const printer = createPrinter();
  const frozen: string[] = [];
  const live: string[][] = [];
  let model = emptyModel;
  for (const event of events) {
    model = fold(model, event, 9000);
    const rows = printer.print(model.items, look(columns));
    frozen.push(...rows.frozen);
    live.push(rows.live);
    model = withoutFirst(model, rows.done);
  }
  return { frozen, live, left: model.items.length };
}

const bash = { id: 'c1', tool: 'bash', input: { command: 'npm test' } };
const running = [answer('', [bash]), { type: 'tool.started' as const, data: { call: 'c1', effect: 'write' as const } }];

describe('the rows of a transcript', () => {
  it('are frozen as soon as they are full, and only the last of an answer is live', () => {
    const { frozen, live } = printed(eventsOf(...started, streaming, text('One line.\n\nAnd a second '), text('one')));
    expect(frozen).toEqual(['› Do it', '', 'One line.', '']);
    expect(live.at(-1)).toEqual(['And a second']);
  });

  it('are the same in whatever pieces an answer came', () => {
    const words =
      '# Title\n\nSome **bold** words and `code` that go on for more than one row of this terminal.\n\n```ts\nlet a = 1;\n```\n\n- one\n- two';
    const whole = printed(eventsOf(...started, answer(words), ended)).frozen;
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 60 }), (sizes) => {
        const pieces: string[] = [];
        let at = 0;
        for (const size of sizes) {
          pieces.push(words.slice(at, at + size));
          at += size;
        }
        const events = eventsOf(
          ...started,
          streaming,
          ...pieces.filter((piece) => piece !== '').map(text),
          answer(words),
          ended,
        );
        expect(printed(events).frozen).toEqual(whole);
      }),
      { numRuns: 50 },
    );
  });

  it('wait for an earlier call that still runs, so that their order is that of the calls', () => {
    const other = { id: 'c2', tool: 'read', input: { path: 'a.ts' } };
    const events = eventsOf(
      ...started,
      answer('', [bash, other]),
      finished('c2', 'text'),
      finished('c1', 'fine', { details: { exitCode: 0 } }),
    );
    const { frozen, live } = printed(events);
    expect(live.at(-2)).toEqual(['', '● bash npm test  waits', '✓ read a.ts']);
    expect(frozen.slice(1)).toEqual(['', '✓ bash npm test', '✓ read a.ts']);
  });

  it('show the last lines of a command while it runs, and of one that failed those that say why', () => {
    const output = {
      type: 'tool.progress' as const,
      data: { call: 'c1', state: 'running' as const, text: '1\n2\n3\n4\n5\n' },
    };
    const failed = finished('c1', 'first\nsecond\n(Exit code 2.)', {
      status: 'error',
      details: { exitCode: 2 },
      durationMs: 1200,
    });
    const { frozen, live } = printed(eventsOf(...started, ...running, output, failed));
    expect(live.at(-2)).toEqual(['', '● bash npm test  14 s', '  │ 2', '  │ 3', '  │ 4', '  │ 5']);
    expect(frozen.slice(2)).toEqual(['✗ bash npm test  exit 2  1.2 s', '  first', '  second', '  (Exit code 2.)']);
  });

  it('mark the words that changed within a line, and give the counts', () => {
    const preview = {
      kind: 'diff' as const,
      text: '--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-let one = 1;\n+let two = 1;\n',
      added: 1,
      removed: 1,
    };
    const judged = { call: 'c1', verdict: 'allow' as const, rule: 'x', effect: 'write' as const, paths: [], preview };
    const edit = answer('', [{ id: 'c1', tool: 'edit', input: { path: 'a.ts' } }]);
    const events = eventsOf(
      ...started,
      edit,
      { type: 'tool.judged', data: judged },
      finished('c1', 'ok', { details: { added: 1, removed: 1 } }),
    );
    const printer = createPrinter();
    const model = events.reduce((folded, event) => fold(folded, event, 0), emptyModel);
    const { frozen } = printer.print(model.items, { ...look(), style: createStyle(true) });
    expect(frozen.map(stripVTControlCharacters).slice(2)).toEqual([
      '✓ edit a.ts  +1  −1',
      '  @@ -1 +1 @@',
      '  -let one = 1;',
      '  +let two = 1;',
    ]);
    expect(frozen.at(-1)).toContain('\u001b[7mtwo\u001b[27m');
  });

  it('fold a thought to one line with its time', () => {
    const { frozen } = printed(
      eventsOf(...started, streaming, thinking('First this.\nThen that.'), text('So.'), answer('So.')),
    );
    expect(frozen).toEqual(['› Do it', '', '✻ thought', '', 'So.']);
  });

  it('let nothing that a model or a tool says act on the terminal', () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\u001b[1;1H\u009b31m\u202e\r\u0008\u001bP1$r\u001b\\';
    const events = eventsOf(
      ...started,
      streaming,
      thinking(evil),
      text(`a${evil}b `),
      answer(`a${evil}b `, [{ id: 'c1', tool: evil, input: { command: evil } }]),
      { type: 'tool.progress', data: { call: 'c1', state: 'running', text: evil } },
      finished('c1', `${evil}\n${evil}`, { status: 'error', details: { notice: evil } }),
      { type: 'notice', data: { level: 'error', code: 'x', message: evil } },
      { type: 'todo.updated', data: { todos: [{ text: evil, status: 'pending' }] } },
      { type: 'plan.written', data: { text: evil } },
      ended,
    );
    const { frozen, live } = printed(events);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for
    for (const row of [...frozen, ...live.flat()]) expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  });
});
