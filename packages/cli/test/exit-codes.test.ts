import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { exitCodeOf, exitCodeOfError } from '../src/exit-codes.ts';
import { makePlace, type Place, pawl, serverEnv, start } from './pawl.ts';

async function serve(answers: Parameters<typeof wireServer>[0]) {
  const server = await wireServer(answers);
  onTestFinished(() => server.close());
  return server;
}

/** A server that never answers its first request. */
async function deafServer() {
  let arrived: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = await serve((request) => {
    arrived();
    return request.number === 1 ? { text: 'late', after: new Promise<void>(() => undefined) } : { text: 'Here I am.' };
  });
  return { server, asked };
}

describe('exit codes of a run', () => {
  it('is 0 when it completed', async () => {
    const server = await serve([{ text: 'Done.' }]);
    expect(await pawl(makePlace(), ['run', 'go'], { env: serverEnv(server.url) })).toMatchObject({
      code: 0,
      stdout: 'Done.\n',
    });
  });

  it('is 1 when the model call failed, with the reason and how to go on', async () => {
    const server = await serve(() => ({
      status: 400,
      error: { type: 'invalid_request_error', message: 'no such thing' },
    }));
    const { code, stderr } = await pawl(makePlace(), ['run', 'go'], { env: serverEnv(server.url) });
    expect(code).toBe(1);
    expect(stderr).toContain('no such thing');
    expect(stderr.split('no such thing')).toHaveLength(2);
    expect(stderr).toMatch(/Go on with: pawl run --resume \S+/);
  });

  it('is 75 when the provider asks to come again later', async () => {
    const server = await serve(() => ({ status: 429, error: { type: 'rate_limit_error', message: 'slow down' } }));
    expect((await pawl(makePlace(), ['run', 'go'], { env: serverEnv(server.url) })).code).toBe(75);
  });

  it('is 4 at a limit of steps, and more steps go on from there', async () => {
    const place = makePlace({ 'a.txt': 'a\n' });
    const server = await serve((request) =>
      request.number === 2 ? { text: 'Read it.' } : { calls: [{ tool: 'read', input: { path: 'a.txt' } }] },
    );
    const env = serverEnv(server.url);
    const limited = await pawl(place, ['run', '--max-steps', '1', 'go'], { env });
    expect(limited.code).toBe(4);
    expect(limited.stderr).toContain('limit of 1 steps');
    const more = await pawl(place, ['run', '--resume', 'latest', '--max-steps', '5'], { env });
    expect(more).toMatchObject({ code: 0, stdout: 'Read it.\n' });
  });

  it('is 4 when the time is up, when the tokens are spent, and when an answer was cut', async () => {
    const { server } = await deafServer();
    const slow = await pawl(makePlace(), ['run', '--max-duration', '300ms', 'go'], { env: serverEnv(server.url) });
    expect(slow.code).toBe(4);
    const dear = await serve(() => ({
      usage: { inputTokens: 900, outputTokens: 200 },
      calls: [{ tool: 'glob', input: { pattern: '*' } }],
    }));
    const spent = await pawl(makePlace(), ['run', '--max-tokens', '1000', 'go'], { env: serverEnv(dear.url) });
    expect(spent.code).toBe(4);
    expect(dear.requests).toHaveLength(1);
    const cut = await serve(() => ({ text: 'half an ans', stopReason: 'output_limit' }));
    expect((await pawl(makePlace(), ['run', 'go'], { env: serverEnv(cut.url) })).code).toBe(4);
  });

  it('is 4 when the dollars are spent', async () => {
    const server = await serve(() => ({
      usage: { inputTokens: 1_000_000, outputTokens: 1000 },
      calls: [{ tool: 'glob', input: { pattern: '*' } }],
    }));
    const { code, stderr } = await pawl(makePlace(), ['run', '--max-usd', '0.10', 'go'], {
      env: serverEnv(server.url),
    });
    expect(code).toBe(4);
    expect(stderr).toMatch(/cost \$\d/);
  });

  it('is 6 when the model refuses', async () => {
    const server = await serve(() => ({ text: 'No.', stopReason: 'refusal' }));
    expect((await pawl(makePlace(), ['run', 'go'], { env: serverEnv(server.url) })).code).toBe(6);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'is 130 after %s, and the session can be resumed',
    async (signal) => {
      const place = makePlace();
      const { server, asked } = await deafServer();
      const env = serverEnv(server.url);
      const running = start(place, ['run', '--session-id', 'stopped', 'go'], { env });
      await asked;
      running.kill(signal);
      const { code, stderr } = await running.result;
      expect(code).toBe(130);
      expect(stderr).toContain('Go on with: pawl run --resume stopped');
      expect(await pawl(place, ['run', '--resume', 'stopped'], { env })).toMatchObject({
        code: 0,
        stdout: 'Here I am.\n',
      });
    },
  );

  it('is 75 while another process has the session', async () => {
    const place = makePlace();
    const { server, asked } = await deafServer();
    const env = serverEnv(server.url);
    const running = start(place, ['run', '--session-id', 'busy', 'go'], { env });
    await asked;
    const second = await pawl(place, ['run', '--resume', 'busy', 'me too'], { env });
    expect(second.code).toBe(75);
    expect(second.stderr).toMatch(/^pawl: .*busy/);
    const deleted = await pawl(place, ['sessions', 'delete', 'busy', '--yes']);
    expect(deleted.code).toBe(75);
    running.kill('SIGKILL');
    await running.result;
  });

  it('takes the flags of a resume before it goes on with what is owed', async () => {
    const place = makePlace();
    let arrived: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const server = await serve((request) => {
      arrived();
      const never = { text: 'late', after: new Promise<void>(() => undefined) };
      return request.number === 1
        ? never
        : request.number === 2
          ? { calls: [{ tool: 'bash', input: { command: 'touch a' } }] }
          : { text: 'Done.' };
    });
    const env = serverEnv(server.url);
    const running = start(place, ['run', '--session-id', 'mine', 'go'], { env });
    await asked;
    running.kill('SIGKILL');
    await running.result;
    const resumed = await pawl(
      place,
      ['run', '-r', 'mine', '--permission-mode', 'auto', '-m', 'anthropic/claude-haiku-4-5'],
      { env },
    );
    expect(resumed).toMatchObject({ code: 0, stdout: 'Done.\n' });
    expect(server.requests[1]?.model).toBe('claude-haiku-4-5');
    expect(existsSync(join(place.folder, 'a'))).toBe(true);
  });

  it('finishes, with nothing said twice, what was killed in the middle', async () => {
    const place = makePlace();
    const { server, asked } = await deafServer();
    const env = serverEnv(server.url);
    const running = start(place, ['run', 'go'], { env });
    await asked;
    running.kill('SIGKILL');
    await running.result;
    expect(await pawl(place, ['run', '-c'], { env })).toMatchObject({ code: 0, stdout: 'Here I am.\n' });
    const nothing = await pawl(place, ['run', '-c'], { env });
    expect(nothing).toMatchObject({ code: 0, stdout: '' });
    expect(nothing.stderr).toContain('Nothing is owed');
    expect(server.requests).toHaveLength(2);
  });
});

describe('exit code 2, with one clear line and nothing begun', () => {
  const cases: [name: string, args: string[], says: RegExp][] = [
    ['no prompt', ['run', '-m', 'demo'], /no prompt/],
    ['two prompts', ['run', '-m', 'demo', '-p', 'a', 'b'], /prompt was given twice/],
    [
      'an unknown mode',
      ['run', '-m', 'demo', '--permission-mode', 'yolo', 'x'],
      /yolo.*manual, accept-edits, plan, auto/,
    ],
    ['an unknown format', ['run', '-m', 'demo', '--output-format', 'xml', 'x'], /xml.*text, json, stream-json/],
    ['a bad rule', ['run', '-m', 'demo', '--allow', 'bash(', 'x'], /bash\(/],
    ['a missing folder', ['run', '-m', 'demo', '-C', 'nowhere', 'x'], /there is no folder .*nowhere/],
    ['a file for a folder', ['run', '-m', 'demo', '-C', 'file', 'x'], /file is not a folder/],
    [
      'a bad duration',
      ['run', '-m', 'demo', '--max-duration', '5 parsecs', 'x'],
      /--max-duration: "5 parsecs".*90s, 5m/,
    ],
    [
      'no steps',
      ['run', '-m', 'demo', '--max-steps', '0', 'x'],
      /--max-steps: "0" is not a whole number from 1 to 1000/,
    ],
    ['too many steps', ['run', '-m', 'demo', '--max-steps', '1001', 'x'], /--max-steps/],
    ['half a token', ['run', '-m', 'demo', '--max-tokens', '1.5', 'x'], /--max-tokens/],
    ['bad dollars', ['run', '-m', 'demo', '--max-usd', '-1', 'x'], /--max-usd/],
    ['an unknown agent', ['run', '-m', 'demo', '--agent', 'smith', 'x'], /no agent "smith"/],
    ['an unknown model', ['run', '-m', 'gpt', 'x'], /no model "gpt"/],
    ['no key', ['run', '-m', 'anthropic/claude-sonnet-4-5', 'x'], /ANTHROPIC_API_KEY/],
    ['no model', ['run', 'x'], /No model is chosen/],
    ['a bad session id', ['run', '-m', 'demo', '--session-id', 'a b', 'x'], /"a b" cannot name a session/],
    ['an unknown session', ['run', '--resume', 'nope'], /no session "nope"/],
    ['no session yet', ['run', '-c', 'x'], /no session of the folder/],
    ['no latest session', ['sessions', 'show', 'latest'], /no sessions yet/],
    ['-c and -r', ['run', '-c', '-r', 'x'], /cannot be used with/],
    ['-r and --session-id', ['run', '-r', 'x', '--session-id', 'y'], /cannot be used with/],
    ['-r and -C', ['run', '-r', 'x', '-C', '.'], /cannot be used with/],
    ['an unknown flag', ['run', '--modle', 'demo', 'x'], /--modle.*\n.*--model/],
    ['an unknown command', ['sesions'], /sesions.*\n.*sessions/],
    ['a prompt without a command and a model', ['do something'], /No model is chosen/],
    ['a mistyped command with words after it', ['sesions', 'list'], /sesions.*\n.*sessions/],
    ['a flag without its value', ['run', '--model'], /argument missing/],
    ['a bad number of messages', ['sessions', 'show', 'x', '--last', '101'], /1 to 100/],
  ];
  it.each(cases)('for %s', async (_name, args, says) => {
    const place = makePlace({ file: 'text' });
    const { code, stdout, stderr } = await pawl(place, args);
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^pawl: /);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const list = await pawl(place, ['sessions', 'list', '--all', '--json']);
    expect(JSON.parse(list.stdout)).toEqual([]);
  });

  it('for a session id that is taken', async () => {
    const place = makePlace();
    await pawl(place, ['run', '-m', 'demo', '--session-id', 'mine', 'List the files in .']);
    const { code, stderr } = await pawl(place, ['run', '-m', 'demo', '--session-id', 'mine', 'again']);
    expect(code).toBe(2);
    expect(stderr).toContain('pawl run --resume mine');
  });

  const isRoot = process.getuid?.() === 0;
  if (isRoot) console.warn('The test of a home that cannot be written is skipped: root can write it.');
  it.skipIf(isRoot)('for a home that cannot be written', async () => {
    const place = makePlace();
    chmodSync(place.home, 0o500);
    const { code, stderr } = await pawl(place, ['run', '-m', 'demo', 'x']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot be written.*PAWL_HOME/);
  });

  it('for a home that is a file', async () => {
    const place = makePlace({ home: 'not a folder' });
    const env = { PAWL_HOME: join(place.folder, 'home') };
    const { code, stderr } = await pawl(place, ['run', '-m', 'demo', 'x'], { env });
    expect(code).toBe(2);
    expect(stderr).toMatch(/cannot be written.*PAWL_HOME/);
  });
});

describe('where sessions are kept', () => {
  const hasSessions = async (place: Place, env: Record<string, string>) => {
    const { stdout } = await pawl(place, ['sessions', 'list', '--all', '--json'], { env });
    return JSON.parse(stdout).length > 0;
  };
  it('is PAWL_HOME, else XDG_DATA_HOME if absolute, else ~/.local/share', async () => {
    const place = makePlace();
    const data = join(place.home, 'data');
    mkdirSync(data);
    const xdg = { PAWL_HOME: '', XDG_DATA_HOME: data };
    await pawl(place, ['run', '-m', 'demo', 'List the files in .'], { env: xdg });
    expect(await hasSessions(place, {})).toBe(false);
    expect(await hasSessions(place, { PAWL_HOME: join(data, 'pawl') })).toBe(true);
    const plain = { PAWL_HOME: '', XDG_DATA_HOME: 'relative' };
    await pawl(place, ['run', '-m', 'demo', 'List the files in .'], { env: plain });
    expect(await hasSessions(place, { PAWL_HOME: join(place.home, '.local', 'share', 'pawl') })).toBe(true);
  });
});

describe('what an outcome means to a script', () => {
  it('is 2 for what only the settings cure, and 75 for what waiting cures', () => {
    const failed = { outcome: 'failed', unattendedDenials: 0 } as const;
    expect(exitCodeOf(failed, 'no_key')).toBe(2);
    expect(exitCodeOf(failed, 'bad_header')).toBe(2);
    expect(exitCodeOf(failed, 'overloaded')).toBe(75);
    expect(exitCodeOf(failed, 'server_error')).toBe(75);
    expect(exitCodeOf(failed, 'bad_request')).toBe(1);
    expect(exitCodeOf(failed, null)).toBe(1);
    expect(exitCodeOfError(new Error('a fault'))).toBe(1);
  });
});
