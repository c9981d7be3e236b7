import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DurableEvent, eventVersions, upgradeEvent } from '@pawl/protocol';
import { eventSchema } from '@pawl/protocol/schemas';
import { memoryLog, sqliteLog } from '@pawl/storage';
import { describe, expect, it } from 'vitest';
import { everyEvent } from './corpus/story.ts';
import { temporaryFolder } from './helpers.ts';

const corpus = join(import.meta.dirname, 'corpus');
const releases = readdirSync(corpus).filter((name) => /^v\d/.test(name));
const files = releases.flatMap((release) => readdirSync(join(corpus, release)).map((file) => join(release, file)));

const readLines = (file: string): DurableEvent[] =>
  readFileSync(join(corpus, file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => upgradeEvent(JSON.parse(line)));

it('holds at least the first release', () => {
  expect(releases).toContain('v0.1.0');
});

it('will hold every type of event that this release knows', () => {
  const types = new Set(everyEvent('s', 'sha256-').map(({ type }) => type));
  expect(types).toEqual(new Set(Object.keys(eventVersions)));
});

describe.each(files.filter((file) => file.endsWith('.jsonl')))('%s', (file) => {
  it('is read in the shapes of today and can be appended to any log', async () => {
    const events = readLines(file);
    for (const event of events) expect(eventSchema.parse(event)).toEqual(event);
    const session = events[0]?.session ?? '';
    for (const log of [memoryLog(), sqliteLog({ path: join(temporaryFolder(), 'log.db') })]) {
      await log.append(session, 0, events);
      expect(await log.read(session)).toEqual(events);
      await log.close();
    }
  });
});

describe.each(files.filter((file) => file.endsWith('.db')))('%s', (file) => {
  it('opens, reads as it was written, is listed, found, and goes on', async () => {
    const path = join(temporaryFolder(), 'log.db');
    copyFileSync(join(corpus, file), path);
    const events = readLines(file.replace('.db', '.jsonl'));
    const session = events[0]?.session ?? '';
    const log = sqliteLog({ path });
    expect(await log.read(session)).toEqual(events);
    expect(log.damage()).toEqual([]);
    const summary = {
      session,
      seq: events.length,
      cwd: '/home/ann/garden',
      model: 'anthropic/large',
      forkedFrom: 'origin',
    };
    expect(await log.list({ search: 'fig rose' })).toEqual([expect.objectContaining(summary)]);
    const [digest] = /sha256-[0-9a-f]{64}/.exec(JSON.stringify(events)) ?? [''];
    expect(Buffer.from((await log.get(digest)) ?? []).toString()).toBe('the whole output');
    const [event] = events.slice(-1).map((last) => ({ ...last, seq: last.seq + 1 }));
    await log.append(session, events.length, event === undefined ? [] : [event]);
    expect(await log.read(session)).toHaveLength(events.length + 1);
    await log.close();
  });
});
