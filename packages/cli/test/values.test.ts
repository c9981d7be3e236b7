import { PassThrough } from 'node:stream';
import { leftText } from '@pawl/terminal/text/left';
import { createSafeText } from '@pawl/terminal/text/safe-text';
import { createStyle, wantsColour } from '@pawl/terminal/text/style';
import { toolLine } from '@pawl/terminal/text/tool-line';
import { cutToWidth, textWidth } from '@pawl/terminal/text/width';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readInput } from '../src/approvals/editor.ts';
import { openOutput } from '../src/output/stdout.ts';
import { joinPrompt } from '../src/run/prompt.ts';
import { parseCount, parseDollars, parseDuration } from '../src/values.ts';

describe('values of flags', () => {
  it.each([
    ['90s', 90_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['250ms', 250],
    ['1.5s', 1500],
    ['45', 45_000],
  ])('%s is %d ms', (text, durationMs) => {
    expect(parseDuration('--max-duration', text)).toBe(durationMs);
  });

  it.each(['', '5 m', 'm', '-5s', '0', '5x', '1e3', '5m3'])('"%s" is no duration', (text) => {
    expect(() => parseDuration('--max-duration', text)).toThrow(/--max-duration.*Write it like/);
  });

  it('a count is whole and in its range, and dollars are more than none', () => {
    expect(parseCount('--n', '7')).toBe(7);
    for (const text of ['0', '-1', '1.5', 'x', '', '99999999999999999999'])
      expect(() => parseCount('--n', text)).toThrow('--n');
    expect([parseDollars('--d', '0.5'), parseDollars('--d', '$2'), parseDollars('--d', '.25')]).toEqual([0.5, 2, 0.25]);
    for (const text of ['0', '-1', 'x', '', '1e9', 'Infinity']) expect(() => parseDollars('--d', text)).toThrow('--d');
  });
});

describe('a prompt with something piped in', () => {
  it('has a block whose end does not occur in it', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('</stdin>', '</stdin-2>', 'x', '\n')), (parts) => {
        const piped = parts.join('');
        const prompt = joinPrompt('do', piped);
        const tag = /^do\n\n<(stdin(?:-\d+)?)>\n/.exec(prompt)?.[1];
        expect(prompt.split(`</${tag}>`)).toHaveLength(2);
        expect(prompt.endsWith(`</${tag}>`)).toBe(true);
      }),
    );
  });
});

describe('text that streams to a terminal', () => {
  it('is the same wherever it is cut into pieces', () => {
    const unit = fc.constantFrom('a', '\r', '\n', '\u001b', '👍', '\ud83d', '\u202e', 'é');
    fc.assert(
      fc.property(fc.array(fc.string({ unit })), (pieces) => {
        const safe = createSafeText();
        const streamed = pieces.map((piece) => safe.push(piece)).join('') + safe.end();
        const whole = createSafeText();
        expect(streamed).toBe(whole.push(pieces.join('')) + whole.end());
      }),
    );
  });
});

describe('a line about a tool', () => {
  const plain = createStyle(false);
  const finished = { call: 'c', status: 'ok', content: '', durationMs: 12 } as const;

  it('says what changed and how long it took, and fits the terminal', () => {
    const call = { tool: 'write', input: { path: `src/${'deep/'.repeat(40)}file.ts` } };
    const line = toolLine(call, { ...finished, details: { added: 3, removed: 1 } }, plain, 60);
    expect(line).toMatch(/^✓ write src\/deep.*… {2}\+3 {2}−1 {2}12 ms$/);
    expect(textWidth(line)).toBeLessThanOrEqual(60);
    expect(toolLine(call, finished, plain, null)).toContain('file.ts');
  });

  it('says how a command ended, and why a call was refused', () => {
    const call = { tool: 'bash', input: { command: 'npm test' } };
    expect(toolLine(call, { ...finished, status: 'error', details: { exitCode: 2 } }, plain, 80)).toBe(
      '✗ bash npm test  exit 2  12 ms',
    );
    const denied = { call: 'c', status: 'denied', content: 'Not run: \u001b[31mno.' } as const;
    expect(toolLine(call, denied, plain, 80)).toBe('⊘ bash npm test  Not run: \\x1b[31mno.');
  });

  it('is never wider than the terminal, whatever it is about', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 30, max: 120 }), (command, columns) => {
        const line = toolLine({ tool: 'bash', input: { command } }, finished, plain, columns);
        expect(textWidth(line)).toBeLessThanOrEqual(columns);
      }),
    );
  });
});

describe('the width of text', () => {
  it('counts wide characters twice and marks not at all', () => {
    expect(['abc', '漢字', 'e\u0301', '👍'].map(textWidth)).toEqual([3, 4, 1, 2]);
    expect(cutToWidth('漢字漢字', 5)).toBe('漢字…');
    expect(cutToWidth('abc', 3)).toBe('abc');
  });
});

describe('colour', () => {
  it('goes to terminals that want it, and anywhere if it is forced', () => {
    const terminal = { isTTY: true };
    expect(wantsColour(terminal, {})).toBe(true);
    expect(wantsColour(terminal, { NO_COLOR: '1' })).toBe(false);
    expect(wantsColour(terminal, { NO_COLOR: '' })).toBe(true);
    expect(wantsColour(terminal, { TERM: 'dumb' })).toBe(false);
    expect(wantsColour({}, {})).toBe(false);
    expect(wantsColour({}, { FORCE_COLOR: '1', NO_COLOR: '1' })).toBe(true);
    expect(wantsColour(terminal, { FORCE_COLOR: '0' })).toBe(false);
  });
});

describe('an output whose reader is slow or gone', () => {
  it('waits for a slow reader, and not for one that has left', async () => {
    const stream = new PassThrough({ highWaterMark: 4 });
    let hasClosed = 0;
    const output = openOutput(stream as unknown as Parameters<typeof openOutput>[0], () => {
      hasClosed += 1;
    });
    const slow = output.write('more than fits');
    stream.read();
    await slow;
    const never = output.write('again more than fits');
    stream.destroy(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    await never;
    await output.write('nobody hears this');
    await output.flush();
    expect(output.isClosed()).toBe(true);
    expect(hasClosed).toBe(1);
  });
});

describe('edited arguments', () => {
  it('must be a JSON object', () => {
    expect(readInput('{"command":"ls"}')).toEqual({ kind: 'input', input: { command: 'ls' } });
    for (const text of ['[]', 'null', '1', '"x"', '{', '']) expect(readInput(text).kind).toBe('problem');
  });
});

describe('the time that is left to answer', () => {
  it('is shown in minutes and seconds, and not at all where there is no end', () => {
    expect([leftText(65_000, 0), leftText(999, 0), leftText(0, 5000), leftText(null, 0)]).toEqual([
      '1:05',
      '0:01',
      '0:00',
      '',
    ]);
  });
});
