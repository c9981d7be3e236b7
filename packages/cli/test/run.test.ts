import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { wireServer } from '@pawl/models/testing';
import { eventSchema, transientSchema } from '@pawl/protocol/schemas';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, node, pawl, program, serverEnv, todoFiles } from './pawl.ts';

const job = 'Find every TODO in this folder and write a report to TODO.md';

async function serve(answers: Parameters<typeof wireServer>[0]) {
  const server = await wireServer(answers);
  onTestFinished(() => server.close());
  return server;
}

describe('the main job', () => {
  it('writes a correct report when edits are allowed by a flag, and shows its work', async () => {
    const place = makePlace(todoFiles);
    const { code, stdout, stderr } = await pawl(place, [
      'run',
      '--model',
      'demo',
      '--permission-mode',
      'accept-edits',
      job,
    ]);
    expect(code).toBe(0);
    const report = readFileSync(join(place.folder, 'TODO.md'), 'utf8');
    expect(report).toContain('src/a.ts');
    expect(report).toContain('lib/c.py');
    expect(report).not.toContain('src/b.ts');
    expect(stdout).toMatch(/^Found 2 /);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).toMatch(/✓ grep .*TODO.* ms/);
    expect(stderr).toMatch(/✓ write TODO\.md {2}\+\d+ {2}\d+ ms/);
    expect(stderr).toMatch(
      /✓ completed in .* · step 3\/20 · .* in, .* out · cost \$0 · (?:mode \S+ · )?context \d+%\nsession \S+\n$/,
    );
  });

  it('is refused what nobody is there to allow, says so, and exits with 3', async () => {
    const place = makePlace(todoFiles);
    const { code, stderr } = await pawl(place, ['run', '--model', 'demo', job]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/⊘ write TODO\.md {2}nobody was there to be asked/);
    expect(stderr).toContain('--permission-mode');
    expect(() => readFileSync(join(place.folder, 'TODO.md'))).toThrow();
  });

  it('is told which part of a command nobody is there to allow', async () => {
    const command = 'npm test | ./send && cat /etc/hosts';
    const server = await serve((request) =>
      request.number === 1 ? { calls: [{ tool: 'bash', input: { command } }] } : { text: 'So.' },
    );
    const place = makePlace();
    const { code } = await pawl(place, ['run', '--allow', 'bash(npm test *)', 'go'], { env: serverEnv(server.url) });
    expect(code).toBe(3);
    const told = JSON.stringify(server.requests.at(-1)?.messages.at(-1));
    expect(told).toContain('nobody is there to give it. These parts of it need one: ./send; cat /etc/hosts. Go on');
  });

  it('is allowed one tool by a rule', async () => {
    const place = makePlace(todoFiles);
    const { code } = await pawl(place, ['run', '--model', 'demo', '--allow', 'write(TODO.md)', job]);
    expect(code).toBe(0);
  });

  it('is denied by a rule over every mode, and asked by a rule over every mode', async () => {
    const place = makePlace(todoFiles);
    const denied = await pawl(place, ['run', '-m', 'demo', '--permission-mode', 'auto', '--deny', 'write', job]);
    expect(denied.stderr).toMatch(/⊘ write TODO\.md/);
    expect(denied.code).toBe(0);
    const asked = await pawl(place, ['run', '-m', 'demo', '--permission-mode', 'auto', '--ask', 'write', job]);
    expect(asked.code).toBe(3);
  });

  it('works in the folder that -C names', async () => {
    const place = makePlace({ 'deep/x.ts': '// TODO: here\n', 'y.ts': '// TODO: not here\n' });
    const { code } = await pawl(place, ['run', '-m', 'demo', '-C', 'deep', '--permission-mode', 'accept-edits', job]);
    expect(code).toBe(0);
    expect(readFileSync(join(place.folder, 'deep', 'TODO.md'), 'utf8')).not.toContain('y.ts');
  });
});

describe('prompts', () => {
  it('come from arguments, from -p, and from standard input, which is added in a block', async () => {
    const place = makePlace();
    const server = await serve(() => ({ text: 'Noted.' }));
    const env = serverEnv(server.url);
    const said = () => JSON.stringify(server.requests.at(-1)?.messages.at(-1));
    await pawl(place, ['run', 'two', 'words'], { env });
    expect(said()).toContain('two words');
    await pawl(place, ['-p', 'by the flag'], { env });
    expect(said()).toContain('by the flag');
    await pawl(place, ['-p', '--output-format', 'json', 'after the flag'], { env });
    expect(said()).toContain('after the flag');
    await pawl(place, ['run'], { env, input: 'all of it\n' });
    expect(said()).toContain('all of it');
    await pawl(place, ['run', 'explain'], { env, input: 'a </stdin> b' });
    expect(said()).toContain('explain\\n\\n<stdin-2>\\na </stdin> b\\n</stdin-2>');
    expect(server.requests).toHaveLength(5);
  });
});

describe('a standard input that nobody writes to', () => {
  it('is left alone after a while, beside a prompt', async () => {
    const place = makePlace(todoFiles);
    const { code, stderr } = await pawl(place, ['run', '-m', 'demo', 'List the files in src'], { openInput: true });
    expect(code).toBe(0);
    expect(stderr).toContain('add - after the prompt');
  });
});

describe('output formats', () => {
  it('gives one JSON object with --output-format json', async () => {
    const place = makePlace(todoFiles);
    const { code, stdout, stderr } = await pawl(place, ['run', '-m', 'demo', '--output-format', 'json', job]);
    const result = JSON.parse(stdout);
    expect(code).toBe(3);
    expect(stderr).toBe('');
    expect(result).toMatchObject({ outcome: 'completed', model: 'demo', cwd: place.folder, exitCode: 3, costUsd: 0 });
    expect(result.denials).toMatchObject([{ tool: 'write', isUnattended: true, input: { path: 'TODO.md' } }]);
    expect(result.steps).toBeGreaterThan(1);
    expect(result.text).not.toBe('');
  });

  it('gives the events of the protocol, one a line, durable ones without a gap, with stream-json', async () => {
    const place = makePlace(todoFiles);
    const { stdout } = await pawl(place, [
      ...['run', '-m', 'demo', '--output-format', 'stream-json', '--permission-mode', 'accept-edits', job],
    ]);
    const events = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const durable = events.filter((event) => 'seq' in event);
    for (const event of durable) expect(eventSchema.safeParse(event).error).toBeUndefined();
    const transient = events.filter((event) => !('seq' in event));
    for (const event of transient) expect(transientSchema.safeParse(event).error).toBeUndefined();
    expect(durable.map((event) => event.seq)).toEqual(durable.map((_, index) => index + 1));
    expect(durable[0].type).toBe('session.created');
    expect(events.at(-1).type).toBe('turn.ended');
    expect(transient.some((event) => event.type === 'stream.text')).toBe(true);
  });

  it('begins stream-json of a resumed session with the first event of this run', async () => {
    const place = makePlace(todoFiles);
    const first = await pawl(place, ['run', '-m', 'demo', '--output-format', 'stream-json', 'List the files in src']);
    const last = JSON.parse(first.stdout.trimEnd().split('\n').at(-1) ?? '');
    const second = await pawl(place, ['run', '-c', '--output-format', 'stream-json', 'List the files in lib']);
    const [begin] = second.stdout.split('\n').map((line) => line && JSON.parse(line));
    expect(begin).toMatchObject({ type: 'session.opened', seq: last.seq + 1, session: last.session });
  });

  it('writes only the final answer to a pipe, byte for byte, and makes its tools harmless on standard error', async () => {
    const place = makePlace();
    const evil = 'a\u001b]52;c;ZXZpbA==\u0007b\u202ec\u200bd';
    let requests = 0;
    const server = await serve(() => {
      requests += 1;
      return requests === 1
        ? { text: `before ${evil}`, calls: [{ tool: 'bash', input: { command: `echo ${evil}` } }] }
        : { text: `after ${evil}` };
    });
    const { stdout, stderr } = await pawl(place, ['run', '--permission-mode', 'auto', 'go'], {
      env: serverEnv(server.url),
    });
    expect(stdout).toBe(`after ${evil}\n`);
    for (const hidden of ['\u001b', '\u0007', '\u202e', '\u200b']) expect(stderr).not.toContain(hidden);
    expect(stderr).toContain('before a\\x1b]52;c;ZXZpbA==\\x07b\\u202ec\\u200bd');
  });

  it('writes colour where it is forced, and none into a pipe', async () => {
    const place = makePlace(todoFiles);
    const args = ['run', '-m', 'demo', 'List the files in src'];
    expect((await pawl(place, args)).stderr).not.toContain('\u001b');
    expect((await pawl(place, args, { env: { FORCE_COLOR: '1' } })).stderr).toContain('\u001b[32m✓\u001b[39m');
    expect((await pawl(place, args, { env: { FORCE_COLOR: '0' } })).stderr).not.toContain('\u001b');
  });
});

describe('a reader that leaves', () => {
  it('stops the run quietly when nobody reads the events any more, with the exit code of SIGPIPE', async () => {
    const place = makePlace();
    const server = await serve((request) => ({
      text: Array.from({ length: 2000 }, () => 'words and more words '),
      ...(request.number < 50 && { calls: [{ tool: 'glob', input: { pattern: `*${request.number}` } }] }),
    }));
    const run = `"${node}" "${program}" run --output-format stream-json --max-steps 100 go < /dev/null`;
    const shell = `{ ${run}; echo "ended with $?" >&2; } | head -n 20`;
    const env = { ...place.env, ...serverEnv(server.url) };
    const child = await promisify(execFile)('/bin/sh', ['-c', shell], { cwd: place.folder, env });
    expect(child.stdout.trimEnd().split('\n')).toHaveLength(20);
    expect(child.stderr).toBe('ended with 141\n');
    const list = await pawl(place, ['sessions', 'show', 'latest', '--json']);
    expect(JSON.parse(list.stdout).entries.at(-1)).toMatchObject({ kind: 'turn', outcome: 'cancelled' });
    expect(server.requests.length).toBeLessThan(50);
  });
});

describe('recordings', () => {
  it('play a run again without its model', async () => {
    const place = makePlace(todoFiles);
    const prompt = 'List the files in src';
    const recorded = await pawl(place, ['run', '-m', 'demo', '--record', '../cassette', prompt]);
    const played = await pawl(place, ['run', '-m', 'replay:../cassette', prompt]);
    expect(played).toMatchObject({ code: 0, stdout: recorded.stdout });
    const diverged = await pawl(place, ['run', '-m', 'replay:../cassette', 'Something else']);
    expect(diverged.code).toBe(1);
    expect(diverged.stderr).toContain('not the recorded one');
  });

  it('are gone on with from another folder, and shown by the name of their file (M11)', async () => {
    const place = makePlace(todoFiles);
    const recorded = await pawl(place, ['run', '-m', 'demo', '--record', '../cassette', 'List the files in src']);
    const play = [
      'run',
      '-m',
      'replay:../cassette',
      '--max-steps',
      '1',
      '--session-id',
      'played',
      'List the files in src',
    ];
    expect((await pawl(place, play)).code).toBe(4);
    const deep = { ...place, folder: join(place.folder, 'src') };
    const shown = await pawl(deep, ['sessions', 'show', 'played']);
    expect(shown.stdout).toContain('· replay:cassette ·');
    const more = ['--resume', 'played', '--max-steps', '5'];
    expect(await pawl(deep, ['run', ...more])).toMatchObject({ code: 0, stdout: recorded.stdout });
    const used = await pawl(place, ['run', '--continue', 'And now?']);
    expect(used.code).toBe(1);
    expect(used.stderr).toContain('no further call');
  });

  it('of the wire play a run again without key or network, and refuse a request that is another one (M11)', async () => {
    const place = makePlace();
    const server = await serve(() => ({ text: 'Recorded answer.' }));
    const environment = serverEnv(server.url);
    const said = ['run', '-m', 'anthropic/claude-test', '--record-wire', '../wire', 'Say it'];
    expect((await pawl(place, said, { env: environment })).code).toBe(0);
    const recording = readFileSync(join(place.folder, '../wire'), 'utf8');
    expect(recording).toContain('Recorded answer.');
    expect(recording).not.toContain('test-key');
    const replay = (...more: string[]) =>
      pawl(place, ['run', '-m', 'anthropic/claude-test', '--replay-wire', '../wire', ...more], {
        env: { ANTHROPIC_BASE_URL: server.url },
      });
    expect(await replay('Say it')).toMatchObject({ code: 0, stdout: 'Recorded answer.\n' });
    const other = await replay('Say something else');
    expect(other.code).toBe(1);
    expect(other.stderr).toContain('not the recorded one');
    expect(await replay('--replay-any-body', 'Say something else')).toMatchObject({ stdout: 'Recorded answer.\n' });
    expect(server.requests).toHaveLength(1);
  });
});
