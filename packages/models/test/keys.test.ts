import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Model } from '@pawl/engine';
import { describe, expect, it } from 'vitest';
import { createHealth } from '../src/pool/health.ts';
import { fileHealthStore, type HealthStore, type StoredHealth } from '../src/pool/health-store.ts';
import { poolModel } from '../src/pool/pool.ts';
import { maskKey } from '../src/pool/show.ts';
import type { Provider } from '../src/pool/types.ts';
import { type Deed, key, leapingClock, provider, scriptedCandidate } from './pool-support.ts';
import { call, request, temporaryFolder, thrownBy, user } from './support.ts';

const ask = request([user('Hi')]);

/** A pool of one model, and the names of the keys that it was asked with. */
function poolOf(
  from: Provider,
  deeds: { [key: string]: Deed | Deed[] } = {},
  more: Partial<Parameters<typeof poolModel>[0]> = {},
): { pool: Model; asked: string[] } {
  const asked: string[] = [];
  const candidate = scriptedCandidate(
    'p/a',
    from,
    (opened) => {
      const name = opened?.name ?? '';
      const list = [deeds[name] ?? {}].flat();
      const count = asked.filter((other) => other === name).length;
      return list[Math.min(count, list.length) - 1] ?? {};
    },
    (_id, opened) => asked.push(opened?.name ?? ''),
  );
  const pool = poolModel({ id: 'p/a', candidates: [candidate], clock: leapingClock(), random: () => 0.5, ...more });
  return { pool, asked };
}

async function callTimes(pool: Model, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await call(pool, request([user(`Call ${n}.`)]));
}

describe('M8: several keys of one provider', () => {
  it('are changed after a failure, and the one that works is kept', async () => {
    const { pool, asked } = poolOf(provider('p', ['k1', 'k2', 'k3']), {
      k1: { code: 'server_error' },
      k2: [{}, {}, { code: 'server_error' }],
    });
    await callTimes(pool, 4);
    expect(asked).toEqual(['k1', 'k2', 'k2', 'k2', 'k3', 'k3']);
  });

  it('take turns where they are to', async () => {
    const { pool, asked } = poolOf(provider('p', ['k1', 'k2', 'k3'], { rotation: 'per_request' }));
    await callTimes(pool, 5);
    expect(asked).toEqual(['k1', 'k2', 'k3', 'k1', 'k2']);
  });

  it('that take turns pass over one that rests', async () => {
    const { pool, asked } = poolOf(provider('p', ['k1', 'k2'], { rotation: 'per_request' }), {
      k1: { code: 'rate_limited', retryAfterMs: 60_000 },
    });
    await callTimes(pool, 3);
    expect(asked).toEqual(['k1', 'k2', 'k2', 'k2']);
  });

  it('are dealt by chance where they are to, and the one that works is kept', async () => {
    const chances = [0.9, 0.1, 0.5];
    const { pool, asked } = poolOf(
      provider('p', ['k1', 'k2', 'k3'], { order: 'random' }),
      { k2: [{}, { code: 'server_error' }] },
      { random: () => chances.shift() ?? 0.5 },
    );
    await callTimes(pool, 3);
    expect(asked.slice(0, 2)).toEqual(['k2', 'k2']);
    expect(asked).toHaveLength(4);
    expect(asked[2]).toBe(asked[3]);
    expect(asked[2]).not.toBe('k2');
  });

  it('are dealt anew for each request where they take turns by chance', async () => {
    const chances = [0.9, 0.1, 0.1, 0.9];
    const { pool, asked } = poolOf(
      provider('p', ['k1', 'k2'], { rotation: 'per_request', order: 'random' }),
      {},
      { random: () => chances.shift() ?? 0.5 },
    );
    await callTimes(pool, 2);
    expect(asked).toEqual(['k2', 'k1']);
  });

  it('may be none, for a server that wants none', async () => {
    const { pool, asked } = poolOf(provider('p', []));
    await callTimes(pool, 1);
    expect(asked).toEqual(['']);
  });
});

describe('M8: what is known of keys', () => {
  it('is told with the key masked, until when it rests, and why', async () => {
    const clock = leapingClock();
    const health = createHealth({ clock });
    const from = provider('p', ['k1', 'k2', 'k3']);
    const { pool } = poolOf(
      from,
      {
        k1: { code: 'rate_limited', status: 429, retryAfterMs: 60_000 },
        k2: { code: 'unauthorized', status: 401 },
      },
      { health },
    );
    await call(pool, ask);
    const report = health.report();
    expect(report.problem).toBeNull();
    expect(report.providers).toMatchObject([
      {
        provider: 'p',
        baseUrl: 'http://localhost:1',
        state: 'closed',
        requestsUnderWay: 0,
        callsWaiting: 0,
        keys: [
          {
            name: 'k1',
            key: 'sk-…abcd',
            state: 'resting',
            until: clock.now() + 60_000,
            why: 'rate limited (HTTP 429)',
            rests: [{ model: 'p/a', isSoft: false }],
          },
          { name: 'k2', key: 'sk-…abcd', state: 'retired', until: null, why: 'refused (HTTP 401)' },
          { name: 'k3', key: 'sk-…abcd', state: 'ready', until: null, why: null },
        ],
      },
    ]);
    for (const { secret } of from.keys) expect(JSON.stringify(report)).not.toContain(secret);
  });

  it('is told of a provider that was not asked yet', () => {
    const from = provider('p', ['k1']);
    expect(createHealth().report([from]).providers).toMatchObject([{ provider: 'p', keys: [{ state: 'ready' }] }]);
    expect(createHealth().report().providers).toEqual([]);
  });

  it.each([
    ['sk-0123456789abcdef0123456789ab', 'sk-…89ab'],
    ['gsk_0123456789abcdefgh', 'gsk_…efgh'],
    ['0123456789012345678901', '…8901'],
    ['short-key', '…'],
    ['', '…'],
  ])('shows the key %s as %s', (secret, shown) => {
    expect(maskKey(secret)).toBe(shown);
  });
});

/** A store in memory, which says how often it was asked. */
function memoryStore(first: unknown = null): HealthStore & { value: unknown; saves: number } {
  const store = {
    value: first,
    saves: 0,
    load: () => Promise.resolve(structuredClone(store.value)),
    save(health: StoredHealth) {
      store.saves++;
      store.value = structuredClone(health);
      return Promise.resolve();
    },
  };
  return store;
}

const limited: Deed = { code: 'rate_limited', status: 429, retryAfterMs: 60_000 };

describe('M8: a rest', () => {
  it('outlives the process, and holds no key', async () => {
    const store = memoryStore();
    const clock = leapingClock();
    const from = provider('p', ['k1', 'k2']);
    const before = poolOf(from, { k1: limited }, { health: createHealth({ store, clock }) });
    await call(before.pool, ask);
    const health = createHealth({ store, clock });
    const after = poolOf(from, {}, { health });
    await call(after.pool, ask);
    expect(after.asked).toEqual(['k2']);
    expect(health.report().providers[0]?.keys[0]).toMatchObject({ name: 'k1', state: 'resting' });
    expect(JSON.stringify(store.value)).not.toContain(key('k1').secret);
  });

  it('is over when it is over', async () => {
    const store = memoryStore();
    const clock = leapingClock();
    const from = provider('p', ['k1', 'k2']);
    await call(poolOf(from, { k1: limited }, { health: createHealth({ store, clock }) }).pool, ask);
    clock.move(60_001);
    const after = poolOf(from, {}, { health: createHealth({ store, clock }) });
    await call(after.pool, ask);
    expect(after.asked).toEqual(['k1']);
  });

  it('that another process saved meanwhile is kept, and heeded', async () => {
    const store = memoryStore();
    const clock = leapingClock();
    const from = provider('p', ['k1', 'k2', 'k3']);
    const one = poolOf(from, { k1: limited }, { health: createHealth({ store, clock }) });
    const health = createHealth({ store, clock });
    await health.loading;
    await call(one.pool, ask);
    await call(poolOf(provider('p', ['k2', 'k3']), { k2: limited }, { health }).pool, ask);
    await health.flush();
    expect(health.report([from]).providers[0]?.keys.map(({ state }) => state)).toEqual(['resting', 'ready', 'resting']);
    expect((store.value as StoredHealth).rests).toHaveLength(2);
    const third = poolOf(from, {}, { health: createHealth({ store, clock }) });
    await call(third.pool, ask);
    expect(third.asked).toEqual(['k3']);
  });

  it('never lasts more than a day, whatever a store says, and one without end counts as none', async () => {
    const clock = leapingClock();
    const first = memoryStore();
    const from = provider('p', ['k1', 'k2']);
    await call(poolOf(from, { k1: limited }, { health: createHealth({ store: first, clock }) }).pool, ask);
    const saved = first.value as StoredHealth;
    const far = { ...saved, rests: saved.rests.map((rest) => ({ ...rest, until: clock.now() * 2 })) };
    const health = createHealth({ store: memoryStore(far), clock });
    await health.loading;
    expect(health.report([from]).providers[0]?.keys[0]?.until).toBe(clock.now() + 86_400_000);
    const endless = { ...saved, rests: saved.rests.map((rest) => ({ ...rest, until: null })) };
    const other = createHealth({ store: memoryStore(endless), clock });
    await other.loading;
    expect(other.report([from]).providers[0]?.keys[0]?.state).toBe('ready');
  });

  it.each([
    [null],
    ['text'],
    [[]],
    [{ version: 2 }],
    [{ version: 1, rests: 5, snapshots: {} }],
    [{ version: 1, rests: [null, {}] }],
  ])('is read from %j as none', async (value) => {
    const { pool, asked } = poolOf(provider('p', ['k1']), {}, { health: createHealth({ store: memoryStore(value) }) });
    await call(pool, ask);
    expect(asked).toEqual(['k1']);
  });

  it('that cannot be saved does no harm to the call, and the report says why', async () => {
    const broken: HealthStore = {
      load: () => Promise.reject(new Error('no disk')),
      save: () => Promise.reject(new Error('no disk')),
    };
    const health = createHealth({ store: broken, clock: leapingClock() });
    const { pool, asked } = poolOf(provider('p', ['k1', 'k2']), { k1: limited }, { health });
    await call(pool, ask);
    await health.flush();
    expect(asked).toEqual(['k1', 'k2']);
    expect(health.report().problem).toBe('no disk');
  });
});

describe('M8: the file of rests', () => {
  it('is written whole, for its owner alone, and leaves nothing beside it', async () => {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'new', 'health.json');
    const store = fileHealthStore(path);
    expect(await store.load()).toBeNull();
    const healths = [1, 2, 3].map(() => createHealth({ store, clock: leapingClock() }));
    await Promise.all(healths.map((health) => health.flush()));
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
      version: 1,
      rests: [],
      snapshots: [],
      credits: [],
      refusals: [],
    });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder.path, 'new'))).toEqual(['health.json']);
    await folder.remove();
  });

  it('tells which account had nothing left, and its key comes last', async () => {
    const clock = leapingClock();
    const store = memoryStore();
    const from = provider('p', ['k1', 'k2']);
    const [first] = from.keys;
    const health = createHealth({ store, clock });
    await health.loading;
    if (first !== undefined) health.credited(from, first, { at: clock.now(), remaining: 0, limit: 20, unit: 'USD' });
    await health.flush();
    const { pool, asked } = poolOf(from, {}, { health: createHealth({ store, clock }) });
    await call(pool, ask);
    expect(asked).toEqual(['k2']);
  });

  it('that is broken counts as nothing, and is replaced', async () => {
    const folder = await temporaryFolder();
    const path = join(folder.path, 'health.json');
    await writeFile(path, '{"version":1,"rests":[{"prov');
    const health = createHealth({ store: fileHealthStore(path), clock: leapingClock() });
    await call(poolOf(provider('p', ['k1', 'k2']), { k1: limited }, { health }).pool, ask);
    await health.flush();
    expect(health.report().problem).toBeNull();
    expect((JSON.parse(await readFile(path, 'utf8')) as StoredHealth).rests).toHaveLength(1);
    await folder.remove();
  });

  it('that is no file is an error with its path', async () => {
    const folder = await temporaryFolder();
    const store = fileHealthStore(folder.path);
    const saying = { code: 'health_unsaved', message: expect.stringContaining(folder.path) as string };
    expect(await thrownBy(store.load())).toMatchObject(saying);
    expect(await thrownBy(store.save({ version: 1, rests: [], snapshots: [], credits: [] }))).toMatchObject(saying);
    expect(await readdir(folder.path)).toEqual([]);
    await folder.remove();
  });
});
