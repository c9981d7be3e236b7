import type { AssistantMessage, DurableEvent, EventBody } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { followAnswer, noAnswer } from '../src/readers/answer.ts';
import {
  costText,
  countText,
  durationText,
  exact,
  exportHtml,
  exportJson,
  exportMarkdown,
  mainArgument,
  oneLine,
  transcribe,
  visible,
} from '../src/readers/index.ts';

const usage = {
  inputTokens: 10,
  outputTokens: 5,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};

function log(...bodies: EventBody[]): DurableEvent[] {
  const by = { kind: 'engine', id: 'pawl' } as const;
  return bodies.map((body, index) => ({ seq: index + 1, at: 1_700_000_000_000 + index, session: 's1', by, ...body }));
}

const created: EventBody = {
  type: 'session.created',
  data: {
    cwd: '/work',
    model: 'demo',
    modelInfo: { contextTokens: 1000, outputTokens: 100, isPriceKnown: true },
    agent: 'builder',
    mode: 'manual',
    isAttended: true,
    rules: { deny: [], ask: [], allow: [] },
    limits: {
      ...{ steps: 20, durationMs: null, tokens: null, usd: null, sessionTokens: null, sessionUsd: null },
      approvalTimeoutMs: 0,
    },
    metadata: {},
  },
};

const said = (text: string): EventBody => ({
  type: 'message.added',
  data: { message: { role: 'user', source: 'input', content: [{ type: 'text', text }] } },
});

function answered(text: string, ...calls: { id: string; tool: string; input: Record<string, string> }[]): EventBody {
  const parts = calls.map((call) => ({ type: 'tool_call' as const, ...call }));
  const content = [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...parts];
  const stopReason = calls.length > 0 ? 'tool_calls' : 'end';
  const message = { role: 'assistant' as const, content, model: 'demo', stopReason, usage, costUsd: 0.5 } as const;
  return { type: 'message.added', data: { message: { ...message, content: [...content] } } };
}

const finished = (call: string, content: string): EventBody => ({
  type: 'tool.finished',
  data: { call, status: 'ok', content, durationMs: 3 },
});

describe('a transcript', () => {
  it('holds what was said, what was done, and how it ended', () => {
    const transcript = transcribe(
      log(
        created,
        said('Do it\nnow'),
        answered('On it.', { id: 't1_s1_c1', tool: 'bash', input: { command: 'ls' } }),
        {
          type: 'tool.judged',
          data: { call: 't1_s1_c1', verdict: 'ask', rule: 'tool bash', effect: 'read', paths: [] },
        },
        {
          type: 'approval.resolved',
          data: { call: 't1_s1_c1', decision: 'allow', input: { command: 'ls -l' }, reason: 'rather so' },
        },
        finished('t1_s1_c1', 'a file'),
        answered('Done.'),
        {
          type: 'turn.ended',
          data: {
            ...{ turn: 1, outcome: 'completed', message: 'The agent finished.', steps: 2 },
            usage,
            costUsd: 1,
            unattendedDenials: 0,
          },
        },
      ),
    );
    expect(transcript).toMatchObject({ session: 's1', title: 'Do it now', cwd: '/work', costUsd: 1 });
    expect(transcript.usage.inputTokens).toBe(20);
    expect(transcript.entries.map((entry) => entry.kind)).toEqual(['user', 'assistant', 'assistant', 'turn']);
    expect(transcript.entries[1]).toMatchObject({
      id: 'm3',
      calls: [
        {
          argument: 'ls -l',
          originalInput: { command: 'ls' },
          status: 'ok',
          content: 'a file',
          rule: 'tool bash',
          answer: { decision: 'allow', reason: 'rather so' },
        },
      ],
    });
  });

  it('leaves a call without a result open, and the cost unknown where one price is', () => {
    const unpriced = answered('', { id: 't1_s1_c1', tool: 'bash', input: { command: 'ls' } });
    if (unpriced.type === 'message.added' && unpriced.data.message.role === 'assistant') {
      unpriced.data.message.costUsd = null;
    }
    const transcript = transcribe(log(created, unpriced));
    expect(transcript.costUsd).toBeNull();
    expect(transcript.entries[0]).toMatchObject({ calls: [{ status: 'open', content: null }] });
  });

  it('of nothing is empty', () => {
    expect(transcribe([])).toMatchObject({ session: '', title: '', entries: [] });
  });
});

describe('an exported session', () => {
  const evil = '</pre><script>alert(1)</script>\n```\n# not a heading\n````\n\u202e\u001b[31m';
  const events = log(
    created,
    said(evil),
    answered(evil, { id: 't1_s1_c1', tool: 'bash', input: { command: evil } }),
    finished('t1_s1_c1', evil),
  );

  it('is a page in which nothing of the session is markup, hidden or run', () => {
    const page = exportHtml(transcribe(events));
    expect(page).not.toContain('<script');
    expect(page).toContain('&lt;script&gt;');
    expect(page).toContain("default-src 'none'");
    expect(page).not.toMatch(/\u202e/);
    expect(page).toContain('\\u202e\\x1b[31m');
  });

  it('is Markdown whose fences nothing in it can end', () => {
    const markdown = exportMarkdown(transcribe(events));
    const fences = markdown.split('\n').filter((line) => /^`{3,}/.test(line));
    const longest = fences.filter((line) => line.startsWith('`````'));
    expect(longest.length % 2).toBe(0);
    expect(longest.length).toBeGreaterThan(0);
    expect(markdown).not.toContain('\u202e');
  });

  it('is JSON that loses nothing', () => {
    const exported = JSON.parse(exportJson(events));
    expect(exported.events).toEqual(JSON.parse(JSON.stringify(events)));
    expect(exported.session).toBe('s1');
  });
});

describe('text made safe to show', () => {
  it('never holds a control character but tab and line break, nor one that is not seen', () => {
    const unsafe = /(?![\t\n])\p{Cc}|\p{Cs}|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/u;
    const nasty = fc.constantFrom(
      '\u001b',
      '\u0007',
      '\u009b',
      '\u202e',
      '\u2066',
      '\u200b',
      '\ud800',
      '\r',
      'a',
      '👍',
      '\u200d',
    );
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: nasty })), (text) => {
        expect(visible(text)).not.toMatch(unsafe);
        expect(exact(text)).not.toMatch(unsafe);
        expect(oneLine(text)).not.toMatch(/[\n\t]/);
      }),
    );
  });

  it('keeps what people write: accents, pictures, Persian, line breaks', () => {
    for (const text of ['é e\u0301', '👨‍👩‍👧 ❤️ 👍🏽', 'می‌خواهم', 'क्‍ष', 'a\tb\nc']) expect(visible(text)).toBe(text);
    expect(visible('a\r\nb')).toBe('a\nb');
  });

  it('shows every byte where a person must decide', () => {
    expect(exact('a\u00a0b\r\n\u{e0041}')).toBe('a\\xa0b\\x0d\n\\u{e0041}');
    expect(exact('x\u001b', (escaped) => `[${escaped}]`)).toBe('x[\\x1b]');
  });
});

describe('the main argument of a call', () => {
  it.each([
    [{ command: 'ls', timeout: 3 }, 'ls'],
    [{ pattern: 'TODO', path: 'src' }, 'TODO in src'],
    [{ count: 1, text: 'hello' }, 'hello'],
    [{ count: 1 }, '{"count":1}'],
    [{}, ''],
    [
      {
        patch:
          '*** Begin Patch\n*** Update File: a.ts\n*** Move to: b.ts\n@@\n-x\n+y\n*** Delete File: c.ts\n*** End Patch',
      },
      'a.ts, b.ts, c.ts',
    ],
    [
      { patch: '--- a/src/a.ts\t2026\n+++ b/src/a.ts\n@@ -1 +1 @@\n-x\n+y\n--- /dev/null\n+++ b/new\n' },
      'src/a.ts, new',
    ],
    [{ patch: 'no patch' }, 'no patch'],
  ])('of %j is %j', (input, argument) => {
    expect(mainArgument(input)).toBe(argument);
  });
});

describe('numbers for people', () => {
  it.each([
    [0, '0 ms'],
    [850, '850 ms'],
    [1000, '1 s'],
    [1234, '1.2 s'],
    [59_600, '1 min'],
    [200_000, '3 min 20 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
    [3_599_700, '1 h'],
  ])('tells %i ms as %s', (span, words) => {
    expect(durationText(span)).toBe(words);
  });

  it('are short', () => {
    expect([0, 999, 1000, 1234, 15_400, 128_000, 1_250_000].map(countText)).toEqual([
      ...['0', '999', '1k', '1.2k', '15k', '128k', '1.3M'],
    ]);
    expect([null, 0, 0.00012, 0.0234, 1.5].map(costText)).toEqual(['unknown', '$0', '$0.00012', '$0.0234', '$1.50']);
    expect([3, 1500, 61_000, 3_660_000].map(durationText)).toEqual(['3 ms', '1.5 s', '1 min 1 s', '1 h 1 min']);
  });
});

describe('followAnswer', () => {
  const message = (text: string, stopReason: AssistantMessage['stopReason']): AssistantMessage => ({
    role: 'assistant',
    content: [{ type: 'text', text }],
    model: 'test/model',
    stopReason,
    usage,
    costUsd: null,
  });

  it('joins what was cut with what went on, and begins anew after an answer that was whole', () => {
    const half = followAnswer(noAnswer, message('The first half', 'output_limit'));
    const whole = followAnswer(half, message(' and the second.', 'end'));
    expect(whole.text).toBe('The first half and the second.');
    expect(followAnswer(whole, message('Another.', 'end')).text).toBe('Another.');
  });
});
