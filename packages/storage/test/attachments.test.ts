import { join } from 'node:path';
import { createHost, type Model, type Storage } from '@pawl/engine';
import { pngOf } from '@pawl/engine/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { memoryLog, sqliteLog } from '../src/index.ts';
import { temporaryFolder } from './helpers.ts';

const model: Model = {
  id: 'fake/model',
  info: { contextTokens: 10_000, outputTokens: 1000, isPriceKnown: true },
  async *stream() {
    const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 };
    yield {
      type: 'finished',
      message: {
        content: [{ type: 'text', text: 'Seen.' }],
        stopReason: 'end',
        usage: { ...usage, cacheWriteHourTokens: 0, reasoningTokens: 0 },
        costUsd: 0,
      },
    };
  },
};

const logs: [name: string, open: () => Storage][] = [
  ['in memory', memoryLog],
  ['on SQLite', () => sqliteLog({ path: join(temporaryFolder(), 'log.db') })],
];

describe.each(logs)('M13: the bytes of a file that was sent, %s', (_, open) => {
  function start() {
    const log = open();
    onTestFinished(() => log.close());
    const host = createHost({ log, model });
    onTestFinished(() => host.close());
    return { log, host };
  }

  it('live as long as a session names them: the one they were sent to, or a fork of it', async () => {
    const { log, host } = start();
    const part = await host.attach(pngOf({ width: 9, height: 9 }), { name: 'shot.png' });
    const session = await host.create({ cwd: process.cwd() });
    await session.run([part, { type: 'text', text: 'What is this?' }]);
    const fork = await host.fork(session.id);
    const early = await host.fork(session.id, { beforeMessage: 'm4' });
    expect(early.draft).toEqual([part, { type: 'text', text: 'What is this?' }]);

    await host.delete(session.id);
    expect(await log.get(part.digest)).not.toBeNull();
    const again = await host.open(fork.session);
    expect((await again.run('And now?')).outcome).toBe('completed');
    await host.delete(fork.session);
    // The fork before the message names it too: in the input that was queued for it.
    expect(await log.get(part.digest)).not.toBeNull();
    await host.delete(early.session);
    expect(await log.get(part.digest)).toBeNull();
  });

  it('are there for a file that is attached and not yet sent, whatever is deleted meanwhile', async () => {
    const { host } = start();
    const bytes = pngOf({ width: 9, height: 9 });
    const [one, other] = [await host.create({ cwd: process.cwd() }), await host.create({ cwd: process.cwd() })];
    await one.run([await host.attach(bytes)]);
    const part = await host.attach(bytes);
    await host.delete(one.id);
    expect((await other.run([part])).outcome).toBe('completed');
  });
});

describe('blobs on SQLite that no event ever named', () => {
  it('are swept after a day, and nothing else is', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const log = sqliteLog({ path: join(temporaryFolder(), 'log.db') });
    onTestFinished(() => log.close());
    const host = createHost({ log, model });
    onTestFinished(() => host.close());
    const session = await host.create({ cwd: process.cwd() });
    const sent = await host.attach(pngOf({ width: 9, height: 9 }));
    await session.run([sent]);
    const forgotten = await log.put(Buffer.from('forgotten'));
    vi.advanceTimersByTime(23 * 3_600_000);
    const young = await log.put(Buffer.from('young'));
    expect(await log.get(forgotten)).not.toBeNull();
    vi.advanceTimersByTime(2 * 3_600_000);
    await log.put(Buffer.from('another'));
    expect(await log.get(forgotten)).toBeNull();
    expect(await log.get(young)).not.toBeNull();
    expect(await log.get(sent.digest)).not.toBeNull();
  });
});
