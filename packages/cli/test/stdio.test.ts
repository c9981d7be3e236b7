import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type WireAnswer, type WireRequest, wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, node, pawl, program, type Running, serverEnv, start } from './pawl.ts';

async function modelOf(answer: (request: WireRequest) => WireAnswer): Promise<Record<string, string>> {
  const server = await wireServer(answer);
  onTestFinished(() => server.close());
  return serverEnv(server.url);
}

const answers = (request: WireRequest) => request.messages.filter(({ role }) => role === 'assistant').length;
const flags = ['run', '--input-format', 'stream-json', '--output-format', 'stream-json', '--session-id', 's'];
const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
const say = (running: Running, line: object) => running.write(`${JSON.stringify(line)}\n`);
const input = (text: string) => ({ type: 'input.send', data: { content: [{ type: 'text', text }] } });

describe('H6: commands on standard input, events on standard output', () => {
  it('takes several turns, answers approvals by commands, and ends after the running turn when the input ends', async () => {
    const place = makePlace();
    const env = await modelOf((request) => {
      const isFirst = answers(request) === 0;
      if (isFirst) return { calls: [{ tool: 'write', input: { path: 'new.txt', content: 'new\n' } }] };
      return { text: `Answer ${answers(request)}.` };
    });
    const running = start(place, flags, { env, openInput: true });
    await running.shown('"type":"ready"');
    say(running, { ...input('Write.'), id: 'first' });
    await running.shown('"approval.requested"');
    say(running, { id: 'yes', type: 'approval.resolve', data: { call: 't1_s1_c1', decision: 'allow' } });
    await running.shown('"type":"turn.ended"');
    say(running, input('Again.'));
    running.endInput();
    const { code, stdout } = await running.result;
    expect(code).toBe(0);
    const lines = linesOf(stdout);
    expect(lines[0]).toMatchObject({ type: 'ready', session: 's', protocolVersion: 1 });
    expect(lines.find(({ id }) => id === 'first')).toEqual({
      type: 'answer',
      id: 'first',
      result: { seq: expect.any(Number), isDuplicate: false },
    });
    expect(lines.filter(({ type }) => type === 'turn.ended')).toHaveLength(2);
    expect(existsSync(join(place.folder, 'new.txt'))).toBe(true);
    const seqs = lines.flatMap((line) => (line.seq !== undefined && line.session === 's' && line.by ? [line.seq] : []));
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });

  it('answers a bad line with an error of its own, and loses nothing of what stands around it', async () => {
    const place = makePlace();
    const env = await modelOf(() => ({ text: 'Fine.' }));
    const bad = ['no json', '[1]', '{"type":"no.such"}', '{"id":"x","type":"input.send","data":{}}', '{"type":7}', ''];
    const good = JSON.stringify({ ...input('Go.'), id: 'good' });
    const { code, stdout } = await pawl(place, flags, { env, input: `${bad.join('\n')}\n${good}` });
    expect(code).toBe(0);
    const lines = linesOf(stdout);
    const errors = lines.filter(({ type }) => type === 'error');
    expect(errors.map(({ error }) => error.code)).toEqual([
      'bad_line',
      'bad_line',
      'bad_command',
      'bad_command',
      'bad_line',
    ]);
    expect(errors[0].error.message).toContain('Line 1');
    expect(errors[3].id).toBe('x');
    expect(lines.find(({ id }) => id === 'good')?.type).toBe('answer');
    expect(lines.at(-1)?.type).toBe('turn.ended');
  });

  it('refuses what is still asked when the input has ended, and says so by its exit code', async () => {
    const place = makePlace();
    const env = await modelOf((request) =>
      answers(request) === 0
        ? { calls: [{ tool: 'write', input: { path: 'new.txt', content: 'new\n' } }] }
        : { text: 'As you like.' },
    );
    const { code } = await pawl(place, flags, { env, input: JSON.stringify(input('Write.')) });
    expect(code).toBe(3);
    expect(existsSync(join(place.folder, 'new.txt'))).toBe(false);
  });

  it('ends at once with nothing to do, and needs the output to be events', async () => {
    const place = makePlace();
    const env = await modelOf(() => ({ text: 'Never asked.' }));
    expect(await pawl(place, flags, { env, input: '' })).toMatchObject({ code: 0 });
    const wrong = await pawl(place, ['run', '--input-format', 'stream-json', 'Go.'], { env, input: '' });
    expect(wrong).toMatchObject({ code: 2 });
  });

  it('is driven by the example of the documentation', async () => {
    const place = makePlace();
    const env = await modelOf((request) =>
      answers(request) === 0
        ? { text: 'I write.', calls: [{ tool: 'write', input: { path: 'new.txt', content: 'new\n' } }] }
        : { text: 'It is there.' },
    );
    const page = readFileSync(new URL('../../../docs/embedding.md', import.meta.url), 'utf8');
    const [, script = ''] = /```python\n([\s\S]*?)```/.exec(page) ?? [];
    const path = join(place.folder, 'embed.py');
    writeFileSync(path, script);
    const bin = join(place.home, 'bin');
    spawnSync('mkdir', [bin]);
    writeFileSync(join(bin, 'pawl'), `#!/bin/sh\nexec ${node} ${program} "$@"\n`, { mode: 0o755 });
    const { spawn } = await import('node:child_process');
    const child = spawn('python3', [path], {
      cwd: place.folder,
      env: { ...place.env, ...env, PATH: `${bin}:${place.env.PATH}` },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(output).toContain('It is there.');
    expect(code).toBe(0);
    expect(existsSync(join(place.folder, 'new.txt'))).toBe(true);
  });
});
