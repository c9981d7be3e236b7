import { wireServer } from '@pawl/models/testing';
import { describe, expect, it } from 'vitest';
import { makePlace, type Place, pawl } from './pawl.ts';

const million = 1_000_000;

async function placeWithRuns(): Promise<Place> {
  const server = await wireServer(() => ({
    text: 'Done.',
    usage: { inputTokens: million, cacheReadTokens: million, outputTokens: million },
  }));
  const place = makePlace();
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url };
  for (const [id, model] of [
    ['one', 'claude-opus-5'],
    ['two', 'claude-opus-5'],
    ['three', 'my-own'],
  ]) {
    await pawl(place, ['run', '--session-id', `${id}`, '-m', `anthropic/${model}`, 'Hello'], { env });
  }
  await pawl(place, ['sessions', 'fork', 'one']);
  await server.close();
  return place;
}

describe('pawl usage (S5)', () => {
  it('sums tokens and cost by day, model, agent and session; a fork spends nothing, and unknown is no 0', async () => {
    const place = await placeWithRuns();
    const usage = async (...args: string[]) => JSON.parse((await pawl(place, ['usage', '--json', ...args])).stdout);
    const { rows, total } = await usage('--by', 'model');
    expect(rows).toMatchObject([
      {
        model: 'anthropic/claude-opus-5',
        calls: 2,
        knownCostUsd: 61,
        unpricedCalls: 0,
        usage: { cacheReadTokens: 2 * million },
      },
      { model: 'anthropic/my-own', calls: 1, knownCostUsd: 0, unpricedCalls: 1 },
    ]);
    expect(total).toMatchObject({ calls: 3, knownCostUsd: 61, unpricedCalls: 1 });
    expect(
      (await usage('--by', 'session,agent')).rows.map(({ session, agent }: Record<string, string>) => [session, agent]),
    ).toEqual([
      ['one', 'builder'],
      ['three', 'builder'],
      ['two', 'builder'],
    ]);
    const table = await pawl(place, ['usage', '--by', 'model']);
    expect(table.stdout).toMatch(/anthropic\/claude-opus-5 +2 +4M +50% +2M +\$61\.00\n/);
    expect(table.stdout).toMatch(/anthropic\/my-own +1 +2M +50% +1M +unknown\n/);
    expect(table.stdout).toMatch(/total +3 +6M +50% +3M +\$61\.00 \+ 1 unknown\n$/);
    expect((await usage()).rows).toMatchObject([{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), calls: 3 }]);
    expect((await usage('--since', '2999-01-01')).rows).toEqual([]);
  });

  it('says what is wrong with a flag, and that there is nothing yet', async () => {
    const place = makePlace();
    expect(await pawl(place, ['usage', '--by', 'week'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"week"'),
    });
    for (const since of ['soon', '0d', '2026-02-31']) {
      expect(await pawl(place, ['usage', '--since', since])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--since'),
      });
    }
    const none = await pawl(place, ['usage']);
    expect(none).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('No model was called since') });
  });
});
