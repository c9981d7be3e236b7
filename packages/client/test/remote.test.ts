import { Duplex } from 'node:stream';
import { lineConnection, readLines, remoteClient, serveClient } from '@pawl/client';
import { createHost, type Host } from '@pawl/engine';
import { type ScriptStep, scriptedModel } from '@pawl/models/testing';
import type { Identity, PawlEvent } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import { expect, it, onTestFinished } from 'vitest';

/** A client at one end of a pair of streams, and a host at the other. */
function connected(steps: readonly ScriptStep[], identity: Identity = { kind: 'human', id: 'ann' }) {
  const host: Host = createHost({ log: memoryLog(), model: scriptedModel(steps) });
  const [near, far] = pair();
  const served = serveClient(host.client(identity), lineConnection(far), {
    mayOpen: async () => undefined,
    mayCreate: () => undefined,
  });
  const client = remoteClient(lineConnection(near), identity);
  onTestFinished(async () => {
    client.close();
    far.destroy();
    await served;
    await host.close();
  });
  return { host, client, far };
}

function pair(): [Duplex, Duplex] {
  const ends: Duplex[] = [];
  const end = (other: number) =>
    new Duplex({
      read: () => undefined,
      write(chunk, _encoding, done) {
        ends[other]?.push(chunk);
        done();
      },
      final(done) {
        ends[other]?.push(null);
        done();
      },
    });
  ends.push(end(1), end(0));
  return ends as [Duplex, Duplex];
}

it('does over a connection what a client in process does (H1)', async () => {
  const { client } = connected([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
  const session = await client.create({ cwd: '/tmp' });
  expect(await session.run('Go.')).toMatchObject({ outcome: 'completed', text: 'One.' });
  const events: PawlEvent[] = [];
  for await (const event of session.send('Again.')) events.push(event);
  expect(events.at(-1)).toMatchObject({ type: 'turn.ended', data: { turn: 2 } });
  expect(await session.command('session.pause', {}, 'p1')).toMatchObject({ isDuplicate: false });
  expect(await session.command('session.pause', {}, 'p1')).toMatchObject({ isDuplicate: true });
  expect(await session.view()).toMatchObject({ status: 'paused' });
  expect(await client.read(session.id, 1)).toEqual((await client.read(session.id)).slice(1));
  expect(await client.fork(session.id)).toMatchObject({ draft: null });
  await expect(client.open('nope')).rejects.toMatchObject({ code: 'no_session' });
  await expect(session.command('input.send', { content: [] })).rejects.toMatchObject({ code: 'bad_command' });
});

it('takes a client for whom its connection says, whatever its commands say', async () => {
  const { client } = connected([], { kind: 'agent', id: 'tool' });
  const session = await client.create({ cwd: '/tmp' });
  await expect(session.configure({ mode: 'auto' })).rejects.toMatchObject({ code: 'human_only' });
});

it('tells a reader who is slow what it missed, and gives every durable event', async () => {
  const words = Array.from({ length: 20_000 }, (_, index) => `${index} `);
  const { client, host } = connected([{ text: words }]);
  const { id } = await host.create({ cwd: '/tmp' });
  const session = await client.open(id);
  const events = session.events({ seq: 0 });
  await session.run('Go.');
  const seen: PawlEvent[] = [];
  for await (const event of events) {
    seen.push(event);
    if (event.type === 'stream.gap') break;
  }
  expect(seen.map(({ type }) => type)).toContain('turn.ended');
  const seqs = seen.flatMap((event) => ('seq' in event ? [event.seq] : []));
  expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  expect(seen.length).toBeLessThan(words.length);
});

it('fails what is asked when the other side is gone, and ends nothing quietly', async () => {
  const { client, far } = connected([]);
  const session = await client.create({ cwd: '/tmp' });
  const next = session.events({ seq: 0 });
  await next.next();
  const waiting = (async () => {
    for await (const _ of next);
  })();
  far.destroy();
  far.push(null);
  client.close();
  await expect(waiting).rejects.toMatchObject({ code: 'connection_lost' });
  await expect(session.view()).rejects.toMatchObject({ code: 'connection_lost' });
});

it('reads lines however they are cut, and passes over what is none', async () => {
  const stream = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() });
  const bytes = Buffer.from('{"a":"ä€"}\nno\n\n{"b":2}');
  for (const byte of bytes) stream.push(Buffer.from([byte]));
  stream.push(null);
  const lines = [];
  for await (const line of readLines(stream)) lines.push(line);
  expect(lines).toEqual([
    { number: 1, value: { a: 'ä€' } },
    { number: 2, problem: expect.stringContaining('no JSON') },
    { number: 4, value: { b: 2 } },
  ]);
});
