import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Message } from '@pawl/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { record, replay } from '../src/index.ts';
import { scriptedModel } from '../src/testing/index.ts';
import { assistant, call, request, results, temporaryFolder, thrownBy, user } from './support.ts';

let folder: string;
let remove: () => Promise<void>;
let path: string;
beforeEach(async () => {
  const temporary = await temporaryFolder();
  folder = temporary.path;
  remove = temporary.remove;
  path = join(folder, 'session.jsonl');
});
afterEach(() => remove());

const first: Message[] = [user('Read a.')];
const second: Message[] = [
  ...first,
  assistant([{ type: 'tool_call', id: 't1_s1_c1', tool: 'read', input: { path: 'a', more: 1 } }]),
  results({ call: 't1_s1_c1', tool: 'read', content: 'the text' }),
];
const script = () =>
  scriptedModel([
    { text: ['I ', 'read.'], calls: [{ tool: 'read', input: { path: 'a' } }], usage: { inputTokens: 3 } },
    { text: 'Done.' },
  ]);

/** Records two calls; their events. */
async function recordBoth() {
  const recorded = record(script(), path);
  return [await call(recorded, request(first)), await call(recorded, request(second))];
}

describe('a recording', () => {
  it('is played call by call, to the same events', async () => {
    const events = await recordBoth();
    const played = replay(path);
    expect(played.id).toBe(`replay:${path}`);
    expect(played.info).toEqual(script().info);
    expect([await call(played, request(first)), await call(played, request(second))]).toEqual(events);
  });

  it('can be read by its owner alone, even where another file was', async () => {
    await writeFile(path, 'old', { mode: 0o644 });
    await recordBoth();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readFile(path, 'utf8')).not.toContain('old');
  });

  it('grows by what is new, not by the whole conversation', async () => {
    await recordBoth();
    const lines = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; messages?: unknown[] });
    expect(lines.map(({ type }) => type)).toEqual(['cassette', 'call', 'answer', 'call', 'answer']);
    expect(lines.map(({ messages }) => messages?.length)).toEqual([undefined, 1, undefined, 2, undefined]);
  });

  it('is played for other ids, another session, system prompt, order of keys and cost', async () => {
    await recordBoth();
    const played = replay(path);
    const other: Message[] = [
      ...first,
      assistant([{ type: 'tool_call', id: 'x9', tool: 'read', input: { more: 1, path: 'a' } }], 'another'),
      results({ call: 'x9', tool: 'read', content: 'the text' }),
    ];
    await call(played, request(first, { session: 'other', system: 'Today is Monday.' }));
    await expect(call(played, request(other, { session: 'other', tail: 'hurry' }))).resolves.toBeDefined();
  });

  it.each<[string, Message[], RegExp]>([
    ['another text', [user('Read b.')], /Call 1 .*message 1 \(user\) was .*Read a.* and is .*Read b/],
    ['a message more', [...first, user('And c.')], /message 2 \(user\) was not there/],
    ['no message', [], /message 1 \(user\) is missing/],
  ])('that meets %s fails with replay_diverged and says where', async (_what, messages, said) => {
    await recordBoth();
    const error = await thrownBy(call(replay(path), request(messages)));
    expect(error).toMatchObject({ code: 'replay_diverged', message: expect.stringMatching(said) as string });
  });

  it('minds the tools, the input of a call, and what a tool answered unless told not to', async () => {
    await recordBoth();
    const tools = [{ name: 'write', description: '', inputSchema: {} }];
    expect(await thrownBy(call(replay(path), request(first, { tools })))).toMatchObject({ code: 'replay_diverged' });
    const variants = {
      input: second.with(1, assistant([{ type: 'tool_call', id: 'c', tool: 'read', input: { path: 'b', more: 1 } }])),
      result: second.with(2, results({ call: 'c', tool: 'read', content: 'another text' })),
    };
    for (const [what, messages] of Object.entries(variants)) {
      for (const compare of ['all', 'calls'] as const) {
        const played = replay(path, { compare });
        await call(played, request(first));
        const isSame = what === 'result' && compare === 'calls';
        const outcome = call(played, request(messages));
        if (isSame) await expect(outcome).resolves.toBeDefined();
        else expect(await thrownBy(outcome)).toMatchObject({ code: 'replay_diverged' });
      }
    }
  });

  it('that has no more calls fails with replay_exhausted', async () => {
    await recordBoth();
    const played = replay(path);
    await call(played, request(first));
    await call(played, request(second));
    expect(await thrownBy(call(played, request([...second, user('More?')])))).toMatchObject({
      code: 'replay_exhausted',
    });
    expect(await thrownBy(call(played, request(first, { session: 'second' })))).toMatchObject({
      code: 'replay_exhausted',
    });
  });

  it('plays sessions that were recorded side by side, each for itself', async () => {
    const model = record(scriptedModel([{ text: 'a1' }, { text: 'b1' }, { text: 'b2' }, { text: 'a2' }]), path);
    for (const [session, text] of [
      ['a', 'A'],
      ['b', 'B'],
      ['b', 'B2'],
      ['a', 'A2'],
    ] as const) {
      await call(model, request([user(text)], { session }));
    }
    const played = replay(path);
    const said: unknown[] = [];
    for (const [session, text] of [
      ['x', 'A'],
      ['x', 'A2'],
      ['y', 'B'],
      ['y', 'B2'],
    ] as const) {
      said.push((await call(played, request([user(text)], { session })))[0]);
    }
    expect(said).toEqual(['a1', 'a2', 'b1', 'b2'].map((text) => ({ type: 'text', text })));
  });

  it('plays a failure as well, after what was heard before it', async () => {
    const model = record(scriptedModel([{ error: { code: 'overloaded', message: 'Busy.' } }]), path);
    await thrownBy(call(model, request(first)));
    expect(await thrownBy(call(replay(path), request(first)))).toMatchObject({ code: 'overloaded', message: 'Busy.' });
  });

  it('that a crash cut off ends there', async () => {
    await recordBoth();
    const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
    await writeFile(path, `${lines.slice(0, 4).join('\n')}\n${lines[4]?.slice(0, 20)}`);
    const played = replay(path);
    await call(played, request(first));
    expect(await thrownBy(call(played, request(second)))).toMatchObject({ code: 'replay_exhausted' });
  });

  it('that is not there, newer, empty or damaged is refused with its reason', async () => {
    expect(() => replay(path)).toThrow(expect.objectContaining({ code: 'no_cassette' }));
    await writeFile(path, '');
    expect(() => replay(path)).toThrow(expect.objectContaining({ code: 'bad_cassette' }));
    await writeFile(path, '{"type":"cassette","version":99}\n');
    expect(() => replay(path)).toThrow(expect.objectContaining({ code: 'cassette_too_new' }));
    await writeFile(path, '{"hello":1}\n');
    expect(() => replay(path)).toThrow(expect.objectContaining({ code: 'bad_cassette' }));
    await recordBoth();
    await appendFile(path, 'oh no\n{"type":"answer","call":7}\n');
    expect(() => replay(path)).toThrow(/line 6/);
  });

  it('that cannot be written fails with record_failed', () => {
    expect(() => record(script(), join(folder, 'no', 'such', 'folder'))).toThrow(
      expect.objectContaining({ code: 'record_failed' }),
    );
  });
});
