import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, type Place, pawl, serverEnv, start } from './pawl.ts';

type Script = Parameters<typeof wireServer>[0];

async function serve(script: Script) {
  const server = await wireServer(script);
  onTestFinished(() => server.close());
  return { server, env: serverEnv(server.url) };
}

const schema = JSON.stringify({
  type: 'object',
  properties: { count: { type: 'integer' } },
  required: ['count'],
  additionalProperties: false,
});

describe('E16: pawl run --output-schema', () => {
  it('writes the result alone to standard output, and to `result` as JSON', async () => {
    const { server, env } = await serve([
      { text: 'I look.', calls: [{ tool: 'glob', input: { pattern: '*' } }] },
      { text: '{ "count": 3 }' },
      { text: '{ "count": 3 }' },
    ]);
    const place = makePlace({ 'schema.json': schema });
    const run = ['run', '--output-schema', 'schema.json'];
    const text = await pawl(place, [...run, 'Count.'], { env });
    expect(text).toMatchObject({ code: 0, stdout: '{"count":3}\n' });
    const json = await pawl(place, [...run, '--output-format', 'json', 'Count.'], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ outcome: 'completed', result: { count: 3 } });
    for (const { body } of server.requests) expect(JSON.stringify(body)).toContain('"additionalProperties":false');
  });

  it('asks once more, and then fails with nothing on standard output', async () => {
    const { env } = await serve([{ text: 'Three.' }, { text: 'Three!' }]);
    const place = makePlace({ 'schema.json': schema });
    const failed = await pawl(place, ['run', '--output-schema', 'schema.json', 'Count.'], { env });
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toContain('not JSON alone');
    expect(failed.stderr).toContain('did not give the result that was asked for');
  });
});

describe('E16: pawl run --tool-choice and --request-timeout', () => {
  it('forces a tool once, and lets the model end after it', async () => {
    const { server, env } = await serve([
      { calls: [{ tool: 'glob', input: { pattern: '*' } }] },
      { text: 'There is nothing.' },
    ]);
    expect(await pawl(makePlace(), ['run', '--tool-choice', 'glob', 'Look.'], { env })).toMatchObject({ code: 0 });
    expect(server.requests.map(({ body }) => body.tool_choice)).toEqual([{ type: 'tool', name: 'glob' }, undefined]);
  });

  it('names a tool that there is not, and a schema that is none, as mistakes of the command line', async () => {
    const { env } = await serve(() => ({ text: '{}' }));
    const place = makePlace({ 'schema.json': '{"$ref": "#/nowhere"}' });
    const choice = await pawl(place, ['run', '--tool-choice', 'nope', 'Look.'], { env });
    expect(choice).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no tool') });
    const schemaless = await pawl(place, ['run', '--output-schema', 'schema.json', 'Look.'], { env });
    expect(schemaless).toMatchObject({ code: 2, stderr: expect.stringContaining('is no JSON Schema') });
  });

  it('tries a request again that takes too long', async () => {
    const { server, env } = await serve(({ number }) =>
      number === 1 ? { after: new Promise<never>(() => undefined) } : { text: 'Here.' },
    );
    const run = await pawl(makePlace(), ['run', '--request-timeout', '300ms', 'Go.'], { env });
    expect(run).toMatchObject({ code: 0, stdout: 'Here.\n' });
    expect(run.stderr).toContain('request_timeout; trying again');
    expect(server.requests).toHaveLength(2);
  });
});

describe('what is asked of a turn', () => {
  it('is checked before anything is opened', async () => {
    const place = makePlace({ 'list.json': '[]', 'bad.json': '{' });
    const wrong: [args: string[], said: string][] = [
      [['--output-schema', 'nowhere.json', 'x'], 'cannot be read as JSON'],
      [['--output-schema', 'bad.json', 'x'], 'cannot be read as JSON'],
      [['--output-schema', 'list.json', 'x'], 'no JSON Schema'],
      [['--request-timeout', 'soon', 'x'], 'not a duration'],
      [['--max-iterations', '3', 'x'], 'belongs to --until-done'],
      [['--verify', 'true', 'x'], 'belongs to --until-done'],
      [['--until-done', '--tool-choice', 'none', 'x'], 'has to call done'],
      [['--workflow', 'release', 'x'], 'not slug/step'],
      [['--meta', 'key', 'x'], 'not key=value'],
      [['--continue', '--user', 'ann', 'x'], 'keeps its own'],
    ];
    const runs = wrong.map(([args]) => pawl(place, ['run', '--model', 'demo', ...args]));
    for (const [index, run] of (await Promise.all(runs)).entries()) {
      expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(wrong[index]?.[1] ?? '') });
    }
  });
});

describe('E14: pawl run --until-done', () => {
  const write = (content: string) => ({ calls: [{ tool: 'write', input: { path: 'out.txt', content } }] });
  const done = { calls: [{ tool: 'done', input: { message: 'It is written.' } }] };
  const run = ['run', '--until-done', '--permission-mode', 'accept-edits'];

  it('keeps going until the check passes, which runs without anybody being there to allow it', async () => {
    const { server, env } = await serve([write('wrong\n'), { text: 'That is it.' }, done, write('right\n'), done]);
    const place = makePlace();
    const ended = await pawl(place, [...run, '--verify', 'grep -q right out.txt && touch checked', 'Write.'], { env });
    expect(ended).toMatchObject({ code: 0, stdout: 'It is written.\n' });
    expect(ended.stderr).toContain('↻ Iteration 2 of 10.');
    expect(ended.stderr).toContain('✗ The check failed');
    expect(ended.stderr).toContain('✓ The check passed.');
    expect(existsSync(join(place.folder, 'checked'))).toBe(true);
    expect(JSON.stringify(server.requests[3]?.messages.at(-1))).toContain('The check failed');
  });

  it('stops at its iterations with exit code 4, and as blocked with 6', async () => {
    const limited = await serve([write('a'), { text: 'So.' }]);
    const json = ['--output-format', 'json'];
    const over = await pawl(makePlace(), [...run, '--max-iterations', '1', ...json, 'Go.'], { env: limited.env });
    expect(over.code).toBe(4);
    expect(JSON.parse(over.stdout)).toMatchObject({ loop: { status: 'budget_exhausted', iterations: 1 } });
    const idle = await serve(() => ({ text: 'Hm.' }));
    const blocked = await pawl(makePlace(), [...run, 'Go.'], { env: idle.env });
    expect(blocked.code).toBe(6);
    expect(blocked.stderr).toContain('3 rounds in a row changed nothing');
  });

  it('goes on with its check after it was killed in the middle of it (E18)', async () => {
    const { env } = await serve([write('right\n'), done]);
    const place = makePlace();
    const flag = join(place.folder, 'slow');
    writeFileSync(flag, '');
    const verify = 'while [ -e slow ]; do echo waiting > /dev/null; done; cat out.txt';
    const first = start(place, [...run, '--session-id', 's', '--verify', verify, 'Write.'], { env });
    await untilVerifying(place, env);
    first.kill('SIGKILL');
    await first.result;
    const resumed = start(place, ['run', '--resume', 's', '--output-format', 'json'], { env });
    rmSync(flag);
    const ended = await resumed.result;
    expect(JSON.parse(ended.stdout)).toMatchObject({ outcome: 'completed', loop: { status: 'completed' } });
    expect(readFileSync(join(place.folder, 'out.txt'), 'utf8')).toBe('right\n');
  });

  /** Until the log says that the check was asked for. */
  async function untilVerifying(place: Place, env: Record<string, string>): Promise<void> {
    for (;;) {
      const { stdout } = await pawl(place, ['sessions', 'export', 's', '-f', 'json'], { env });
      if (stdout.includes('"status": "verifying"')) return;
    }
  }
});

describe('S7: pawl run --user, --channel, --workflow, --meta', () => {
  it('are kept with the session, its forks, its list, its exports and its usage', async () => {
    const { env } = await serve(() => ({ text: 'Hello.', usage: { inputTokens: 10, outputTokens: 5 } }));
    const place = makePlace();
    const flags = ['--user', 'ann', '--channel', 'mail', '--workflow', 'release/test', '--meta', 'ticket=7=8'];
    const origin = { user: 'ann', channel: 'mail', workflow: { slug: 'release', step: 'test' } };
    const run = await pawl(place, ['run', '--session-id', 's', ...flags, '--output-format', 'json', 'Hi.'], { env });
    expect(JSON.parse(run.stdout)).toMatchObject({ origin, metadata: { ticket: '7=8' } });
    await pawl(place, ['run', '--session-id', 'other', 'Hi.'], { env });
    await pawl(place, ['sessions', 'fork', 's']);
    const list = JSON.parse((await pawl(place, ['sessions', 'list', '--json'])).stdout);
    expect(
      list.filter((each: { origin: object }) => JSON.stringify(each.origin) === JSON.stringify(origin)),
    ).toHaveLength(2);
    const table = await pawl(place, ['sessions', 'list']);
    expect(table.stdout.match(/\[for ann\] \[release\/test\]/g)).toHaveLength(2);
    const usage = JSON.parse((await pawl(place, ['usage', '--json', '--by', 'user', 'workflow'])).stdout);
    expect(usage.rows.map(({ user, workflow, calls }: Record<string, unknown>) => [user, workflow, calls])).toEqual([
      ['ann', 'release/test', 1],
      ['–', '–', 1],
    ]);
    const exported = await pawl(place, ['sessions', 'export', 's', '-f', 'markdown']);
    for (const line of ['- User: `ann`', '- Channel: `mail`', '- Workflow: `release/test`', '- ticket: `7=8`']) {
      expect(exported.stdout).toContain(line);
    }
  });
});
