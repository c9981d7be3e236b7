import { wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, pawl, todoFiles } from './pawl.ts';

const job = 'List the files in src';

describe('A command line that names no command', () => {
  it.each([
    [['-m', 'demo', '-p', job]],
    [[job, '-m', 'demo']],
    [['-p', job, '--model=demo', '--max-steps', '3']],
    [['--permission-mode', 'plan', '-m', 'demo', ...job.split(' ')]],
    [[...job.split(' '), '-m', 'demo']],
    [['-m', 'demo', 'run', job]],
    [['-m', 'demo', '--', '-v', 'is', 'no', 'flag']],
  ])('is one of pawl run: %j', async (args) => {
    const { code, stdout, stderr } = await pawl(makePlace(todoFiles), args);
    expect([code, stderr]).toEqual([0, expect.stringContaining('✓ completed')]);
    expect(stdout).not.toBe('');
  });

  it('goes on with a session with -c', async () => {
    const place = makePlace(todoFiles);
    await pawl(place, ['-m', 'demo', '--session-id', 'mine', job]);
    expect((await pawl(place, ['-c', 'hello there'])).stderr).toContain('session mine');
  });

  it.each([
    [['sesions', 'list'], /unknown command 'sesions'/],
    [['login'], /unknown command 'login'/],
    [['-m', 'demo', 'sessions', 'list'], /unknown option '-m'/],
    [['--no-such-flag', 'hello there'], /unknown option '--no-such-flag'/],
  ])('is refused where it is mistyped: %j', async (args, told) => {
    const { code, stderr } = await pawl(makePlace(), args);
    expect(code).toBe(2);
    expect(stderr).toMatch(told);
  });
});

describe('A model that nobody named (M1)', () => {
  it('is the default of the provider whose key is set, and that is said', async () => {
    const server = await wireServer([{ text: 'Here.' }]);
    onTestFinished(() => server.close());
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k' };
    const { code, stdout, stderr } = await pawl(makePlace(), ['hello there'], { env });
    expect([code, stdout]).toEqual([0, 'Here.\n']);
    expect(stderr).toContain(
      'Model anthropic/claude-sonnet-4-5, because ANTHROPIC_API_KEY is set; -m picks another.\n',
    );
    const none = await pawl(makePlace(), ['hello there']);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('No model is chosen');
  });

  it('is suggested before the request where a name is misspelt, and not where it is a newer version', async () => {
    const server = await wireServer(() => ({ text: 'Here.' }));
    onTestFinished(() => server.close());
    const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'k' };
    const misspelt = await pawl(makePlace(), ['-m', 'anthropic/claude-sonet-4-5', 'hello there'], { env });
    expect(misspelt.stderr.split('\n')[0]).toBe(
      'anthropic/claude-sonet-4-5 is in no catalogue, and is asked for all the same. Did you mean "anthropic/claude-sonnet-4-5"?',
    );
    const newer = await pawl(makePlace(), ['-m', 'anthropic/claude-sonnet-14-9', 'hello there'], { env });
    expect(newer.stderr).not.toContain('Did you mean');
  });
});

describe('What does not exist', () => {
  it('in a rule of a flag is warned of as in one of the settings', async () => {
    const args = ['-m', 'demo', '--allow', 'bsh(ls)', '--deny', 'read(x)', 'hello there'];
    const { code, stderr } = await pawl(makePlace(), args);
    expect(code).toBe(0);
    expect(stderr).toContain('pawl: --allow: there is no tool "bsh". Did you mean "bash"?\n');
  });

  it.each([
    [
      ['-m', 'demo', '--tool-choice', 'reed', 'hello there'],
      /--tool-choice: there is no tool "reed"\. Did you mean "read"\?/,
    ],
    [['policy', 'remove', 'bash(x)'], /no rule/],
    [['trust', 'remove'], /not trusted/],
    [['models', 'no-such-model'], /^$/],
  ])('ends with 2: %j', async (args, told) => {
    const { code, stderr } = await pawl(makePlace(), args);
    expect([code, stderr]).toEqual([2, expect.stringMatching(told)]);
  });
});
