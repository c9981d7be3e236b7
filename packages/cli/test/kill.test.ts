import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type WireAnswer, type WireServer, wireServer } from '@pawl/models/testing';
import type { DurableEvent } from '@pawl/protocol';
import { sqliteLog } from '@pawl/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makePlace, type Place, pawl, start } from './pawl.ts';

/** What the model does, step by step; it knows where it is from the results that the request holds. */
const steps: WireAnswer[] = [
  {
    text: ['I ', 'look ', 'first.'],
    calls: [
      { tool: 'read', input: { path: 'a.txt' } },
      { tool: 'read', input: { path: 'b.txt' } },
    ],
  },
  {
    text: ['Now ', 'the ', 'first ', 'edit.'],
    calls: [
      { tool: 'edit', input: { path: 'a.txt', old: 'alpha', new: 'alpha beta' } },
      { tool: 'bash', input: { command: 'echo one >> deeds.txt' } },
    ],
  },
  {
    text: ['And ', 'on.'],
    calls: [
      { tool: 'bash', input: { command: 'echo two >> deeds.txt' } },
      { tool: 'edit', input: { path: 'a.txt', old: 'gamma', new: 'gamma delta' } },
      { tool: 'grep', input: { pattern: 'alpha' } },
    ],
  },
  {
    text: ['A ', 'new ', 'file.'],
    calls: [
      { tool: 'write', input: { path: 'new.txt', content: 'new\n' } },
      { tool: 'bash', input: { command: 'echo three >> deeds.txt' } },
    ],
  },
  { text: ['Almost.'], calls: [{ tool: 'bash', input: { command: 'echo four >> deeds.txt' } }] },
  { text: ['All ', 'done.'] },
];
const deeds = { one: 't1_s2_c2', two: 't1_s3_c1', three: 't1_s4_c2', four: 't1_s5_c1' };

let server: WireServer;
beforeAll(async () => {
  server = await wireServer(({ messages }) => {
    const done = messages.filter((message) => message.role === 'assistant').length;
    return { ...(steps[done] ?? { text: 'Lost.' }), pieceBytes: 200 };
  });
});
afterAll(() => server.close());

const files = { 'a.txt': 'alpha\ngamma\n', 'b.txt': 'b\n' };
const flags = ['--permission-mode', 'auto', '--output-format', 'stream-json', '--model', 'anthropic/test'];
const environment = () => ({ ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url });
const run = ['run', ...flags, '--session-id', 'kill', 'Do it.'];
/** Killed before the input was kept, it is sent again by hand. */
const sendAgain = ['run', ...flags, '--resume', 'kill', 'Do it.'];
const resume = ['run', ...flags, '--resume', 'kill'];

async function logOf(place: Place): Promise<DurableEvent[]> {
  const log = sqliteLog({ path: join(place.home, 'pawl', 'pawl.db') });
  const events = await log.read('kill');
  expect(log.damage()).toEqual([]);
  await log.close();
  return events;
}

function readOr(place: Place, name: string): string {
  try {
    return readFileSync(join(place.folder, name), 'utf8');
  } catch {
    return '';
  }
}

/** Resumes what is left of a killed run, and checks that nothing is lost and nothing was done twice. */
async function finishes(place: Place): Promise<string[]> {
  const before = await logOf(place);
  const isBegun = before.some((event) => event.type === 'input.queued');
  const restart = before.length === 0 ? run : sendAgain;
  const { code, stderr } = await pawl(place, isBegun ? resume : restart, { env: environment() });
  expect({ code, stderr }).toMatchObject({ code: 0 });

  const events = await logOf(place);
  expect(events.map((event) => event.seq)).toEqual(events.map((_, index) => index + 1));
  const ended = events.filter((event) => event.type === 'turn.ended');
  expect(ended).toMatchObject([{ data: { outcome: 'completed' } }]);

  const calls = events.flatMap((event) =>
    event.type === 'message.added' && event.data.message.role === 'assistant'
      ? event.data.message.content.filter((part) => part.type === 'tool_call')
      : [],
  );
  const finished = events.filter((event) => event.type === 'tool.finished');
  expect(new Set(finished.map((event) => event.data.call))).toEqual(new Set(calls.map((call) => call.id)));
  expect(finished).toHaveLength(calls.length);
  const status = new Map(finished.map((event) => [event.data.call, event.data.status]));

  const done = readOr(place, 'deeds.txt').split('\n');
  for (const [deed, call] of Object.entries(deeds)) {
    const times = done.filter((line) => line === deed).length;
    expect(times).toBeLessThanOrEqual(1);
    if (status.get(call) === 'ok') expect(times).toBe(1);
  }
  // A file says itself what became of it, so no edit is ever in doubt, and none is made twice.
  expect(readOr(place, 'a.txt')).toBe('alpha beta\ngamma delta\n');
  expect(readOr(place, 'new.txt')).toBe('new\n');
  return [...status.values()];
}

/** What stream-json shows when it has come to the place of this event: durable ones have a number, transient ones follow one. */
function atOrAfter(line: string): RegExp {
  const event = JSON.parse(line);
  const seq: number = event.seq ?? event.after + 1;
  const later = Array.from({ length: 200 }, (_, index) => seq + index).join('|');
  const itself = event.seq === undefined ? `"after":${event.after},"n":${event.n},|` : '';
  return new RegExp(`${itself}"seq":(?:${later}),`);
}

/** Two at a time: the machine has two cores. */
async function forEach<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    [0, 1].map(async () => {
      for (const item of queue) await work(item);
    }),
  );
}

describe('kill -9 (E18)', () => {
  it('before or after any write of a run loses nothing and repeats nothing', { timeout: 300_000 }, async () => {
    const preload = fileURLToPath(new URL('./kill-at-write.js', import.meta.url));
    const points = Array.from(
      { length: 50 },
      (_, index) => `${index % 2 === 0 ? 'before' : 'after'} ${2 + Math.floor(index / 2)}`,
    );
    const seen: string[] = [];
    let killed = 0;
    await forEach(points, async (point) => {
      const place = makePlace(files);
      const env = { ...environment(), NODE_OPTIONS: `--import=${preload}`, PAWL_TEST_KILL: point };
      const { signal } = await pawl(place, run, { env });
      if (signal === 'SIGKILL') killed += 1;
      seen.push(...(await finishes(place)));
    });
    expect(killed).toBeGreaterThan(40);
    const counts = Object.groupBy(seen, (status) => status);
    console.log(
      `Killed at ${killed} writes: ${counts.ok?.length} calls ended well, ${counts.unknown?.length ?? 0} unknown.`,
    );
  });

  it('after any event that was shown loses nothing and repeats nothing', { timeout: 300_000 }, async () => {
    const whole = makePlace(files);
    const { stdout } = await pawl(whole, run, { env: environment() });
    const lines = stdout.trim().split('\n');
    const points = Array.from({ length: 50 }, (_, index) => lines[Math.floor((index * lines.length) / 50)] ?? '');
    let killed = 0;
    await forEach(points, async (line) => {
      const place = makePlace(files);
      const running = start(place, run, { env: environment() });
      // Calls that run side by side do not always end in the same order, so what comes after it will do too.
      await running.shown(atOrAfter(line)).catch(() => undefined);
      running.kill('SIGKILL');
      if ((await running.result).signal === 'SIGKILL') killed += 1;
      await finishes(place);
    });
    expect(killed).toBeGreaterThan(40);
  });
});
