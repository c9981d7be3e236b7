import { stripVTControlCharacters } from 'node:util';
import { type WireAnswer, wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, type Place, pawl, serverEnv, startInTerminal } from './pawl.ts';

/** What a run shows on a terminal of this many columns, without its formats. */
async function shownOf(place: Place, answers: WireAnswer[], args: string[] = [], env = {}, columns = 70) {
  const server = await wireServer(answers);
  onTestFinished(() => server.close());
  const flags = ['run', '--permission-mode', 'auto', ...args, 'Go on now'];
  const terminal = startInTerminal(place, flags, { ...serverEnv(server.url), ...env }, columns);
  const code = await terminal.ended;
  // Of what the spinner wrote over itself, the last is what stands there.
  const rows = terminal.output().replaceAll('\r\n', '\n').split('\n');
  const standing = rows.map((row) => row.split('\r\u001b[K').at(-1)).join('\n');
  const text = stripVTControlCharacters(standing);
  return { code, raw: terminal.output(), text };
}

describe('E2: what a run shows on a terminal', () => {
  it('has the message that ends the turn whole, also beside other words', async () => {
    const message = `The work is done.\n\n- ${'many words '.repeat(20)}end\n- the last line`;
    const { text } = await shownOf(makePlace(), [
      { text: 'I am through.', calls: [{ tool: 'done', input: { message } }] },
    ]);
    expect(text).toContain('I am through.');
    expect(text.match(/many words/g)?.length).toBeGreaterThanOrEqual(20);
    expect(text).toContain('• the last line\n');
  });

  it('has Markdown with its formats and wrapped, and as it is with NO_COLOR and in a pipe', async () => {
    const answer = `# Head\n\n**Bold** and \`code\` ${'wrapped words '.repeat(10)}`;
    const { raw, text } = await shownOf(makePlace(), [{ text: [...answer] }]);
    expect(raw).toContain('\u001b[1mBold\u001b[22m and \u001b[36mcode\u001b[39m');
    expect(text).toContain('\nBold and code wrapped words');
    const rows = text.split('\n').filter((row) => row.includes('wrapped'));
    for (const row of rows) expect(row.length).toBeLessThanOrEqual(70);
    const plain = await shownOf(makePlace(), [{ text: answer }], [], { NO_COLOR: '1' });
    expect(plain.text).toContain('# Head\n\n**Bold** and `code`');
    const server = await wireServer([{ text: answer }]);
    onTestFinished(() => server.close());
    expect((await pawl(makePlace(), ['Go on now'], { env: serverEnv(server.url) })).stdout).toBe(`${answer}\n`);
  });

  it('has the lines that say why a command failed, and the diff of an edit', async () => {
    const command = 'for n in $(seq 1 40); do echo "line $n"; done; echo "the reason" >&2; exit 3';
    const { text } = await shownOf(makePlace({ 'a.txt': 'one\n' }), [
      { calls: [{ tool: 'bash', input: { command } }] },
      { calls: [{ tool: 'read', input: { path: 'a.txt' } }] },
      { calls: [{ tool: 'edit', input: { path: 'a.txt', old: 'one', new: 'two' } }] },
      { text: 'Over.' },
    ]);
    expect(text).toMatch(/exit 3.*\n(?: {2}line \d+\n)+ {2}the reason\n {2}\(Exit code 3\.\)\n/);
    expect(text).not.toContain('  line 5\n');
    expect(text).toMatch(/ {2}-one\n {2}\+two\n/);
    expect(text).toMatch(/✓ completed in [^\n]*(?: · |\n)context \d+%\nsession \S+\n$/);
  });

  it('has what the model thinks with --show-thinking, and everything with --verbose', async () => {
    const answers: WireAnswer[] = [
      {
        thinking: 'First I look.\nThen I act.',
        calls: [{ tool: 'bash', input: { command: 'echo seen; echo whole' } }],
      },
      { text: 'Over.' },
    ];
    const usual = await shownOf(makePlace(), answers);
    expect(usual.text).not.toContain('Then I act.');
    const thinking = await shownOf(makePlace(), answers, ['--show-thinking']);
    expect(thinking.text).toContain('First I look.\nThen I act.\n');
    expect(thinking.text).not.toContain('  whole\n');
    const verbose = await shownOf(makePlace(), answers, ['--verbose']);
    expect(verbose.text).toContain('Then I act.\n');
    expect(verbose.text).toContain('  seen\n  whole\n');
  });
});
