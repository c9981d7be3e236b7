import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { wireServer } from '@pawl/models/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makePlace, type Place, pawl } from './pawl.ts';

function configure(place: Place, config: string): void {
  const path = join(place.home, '.config', 'pawl', 'config.yaml');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, config);
}

const key = 'sk-ant-api03-abcdefghijklmnop-WXYZ';

describe('pawl models (M8, M10)', () => {
  it('shows the default, keys masked, pools, variants, limits and prices, and the day of the catalogue', async () => {
    const place = makePlace();
    configure(
      place,
      'model: smart\npools: { smart: [anthropic/claude-opus-5@deep, groq/llama-3.3-70b-versatile, mine/x] }\nvariants: { deep: { effort: high } }\nproviders: { mine: { wire: openai-chat, baseUrl: "http://127.0.0.1:9/v1" } }\n',
    );
    const { code, stdout, stderr } = await pawl(place, ['models'], { env: { ANTHROPIC_API_KEY: key } });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Default {2}smart {2}by .*config\.yaml\n/);
    expect(stdout).toMatch(/ANTHROPIC_API_KEY {2}sk-…WXYZ {2}ready/);
    expect(stdout).toMatch(/groq\/llama-3\.3-70b-versatile +groq\/llama.* needs an API key of groq: set GROQ_API_KEY/);
    expect(stdout).toContain('@deep  effort:high');
    expect(stdout).toMatch(/anthropic\/claude-opus-5 +1M +128k +\$5 +\$25 +\$0\.5 +image, pdf, thinks/);
    expect(stdout).toMatch(/mine\/x +128k\? +4\.1k\? +unknown +unknown +unknown/);
    expect(stdout).toMatch(/Catalogue of 20\d\d-\d\d-\d\d/);
    expect(stdout + stderr).not.toContain('abcdefgh');
  });

  it('says which words for thinking a model takes, what is sent in place of another, and a price to come', async () => {
    const place = makePlace();
    configure(
      place,
      'model: openai/gpt-5@none\npools: { smart: [anthropic/claude-opus-4-6@xhigh, openai/gpt-6.2-sol@low] }\nvariants: { exact: { temperature: 0, topP: 0.5 } }\nmodels: { google/gemini-4-argon: {}, anthropic/claude-sonnet-4-5: { prices: [{ input: 1, output: 2 }, { from: "2030-01-01", input: 3, output: 4 }] } }\n',
    );
    const env = { ANTHROPIC_API_KEY: key, OPENAI_API_KEY: key, GOOGLE_API_KEY: key };
    const { code, stdout, stderr } = await pawl(place, ['models'], { env });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('openai/gpt-5 takes the efforts minimal, low, medium, high: "none" is sent as "minimal".');
    expect(stdout).toMatch(/claude-opus-4-6@xhigh .*"xhigh" is sent as "high"/);
    expect(stdout).toMatch(/openai\/gpt-5 .*thinks \(minimal low medium high\)/);
    expect(stdout).toMatch(/openai\/gpt-6\.2-sol +1\.1M\? +128k\? +unknown .*taken to be like gpt-6\.1-sol/);
    expect(stdout).toMatch(/claude-sonnet-4-5 .*\$1 +\$2 .*from 2030-01-01 \$3 in, \$4 out/);
  });

  it('is one object with --json, which holds no key', async () => {
    const { stdout } = await pawl(makePlace(), ['models', '--json'], {
      env: { ANTHROPIC_API_KEY: key, PAWL_MODEL: 'demo' },
    });
    const report = JSON.parse(stdout);
    expect(report.default).toMatchObject({ name: 'demo', from: 'environment', problem: null });
    const anthropic = report.providers.find(({ provider }: { provider: string }) => provider === 'anthropic');
    expect(anthropic).toMatchObject({ isReady: true, isConfigured: true, health: { keys: [{ state: 'ready' }] } });
    expect(stdout).not.toContain('abcdefgh');
  });

  it('searches the catalogue by words, and says when there is nothing', async () => {
    const place = makePlace();
    const found = await pawl(place, ['models', 'anthropic/', 'opus-5']);
    const ids = found.stdout
      .split('\n')
      .slice(1)
      .map((line) => line.split(' ')[0]);
    expect(ids).toContain('anthropic/claude-opus-5');
    expect(ids.filter((id) => id !== '' && !/^(anthropic\/.*opus-5|Dollars)/.test(id ?? ''))).toEqual([]);
    expect((await pawl(place, ['models', 'zzzzz'])).stdout).toContain('No model of the catalogue has "zzzzz"');
  });

  it('shows a key that rests, in a later process, and why', async () => {
    const place = makePlace();
    const limited = {
      status: 429,
      error: { type: 'rate_limit_error', message: 'Slow down.' },
      headers: { 'retry-after': '3000' },
    };
    const server = await wireServer(() => limited);
    const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url };
    const run = await pawl(place, ['run', '-m', 'anthropic/claude-opus-5', 'Hello'], { env });
    expect(run.code).toBe(75);
    const { stdout } = await pawl(place, ['models'], { env });
    expect(stdout).toMatch(/sk-…WXYZ {2}resting for \d+ min/);
    const health = readFileSync(join(place.home, 'pawl', 'health.json'), 'utf8');
    expect(health).not.toContain('WXYZ');
    await server.close();
  });
});

describe('what is left of an account (M9)', () => {
  it('is asked of each key, shown, and heeded by later runs: a key of which nothing is left comes last', async () => {
    const left: { [key: string]: unknown } = {
      'Bearer key-one': { data: { left: '0.00' } },
      'Bearer key-two': { data: { left: 7.5 } },
    };
    const asked: string[] = [];
    let isRefusing = false;
    const accounts = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      const key = request.headers.authorization ?? '';
      if (isRefusing) response.statusCode = 401;
      const refusal = { error: { message: `no ${key.replace('Bearer ', '')} of ours` } };
      response.end(JSON.stringify(isRefusing ? refusal : left[key]));
    });
    await new Promise<void>((resolve) => accounts.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      accounts.close();
    });
    const { port } = accounts.address() as AddressInfo;
    const place = makePlace();
    const config = (baseUrl: string) =>
      `providers: { mine: { wire: openai-chat, baseUrl: "${baseUrl}", keys: [{ env: ONE }, { env: TWO }], credit: { path: /key, remaining: data.left } } }\n`;
    configure(place, config(`http://127.0.0.1:${port}/v1`));
    const env = { ONE: 'key-one', TWO: 'key-two' };
    const first = await pawl(place, ['models', '--credit'], { env });
    expect(asked).toEqual(['GET /v1/key', 'GET /v1/key']);
    expect(first.stdout).toMatch(/ONE +… +no credit: no credit left +\$0 of credit/);
    expect(first.stdout).toMatch(/TWO +… +ready +\$7\.5 of credit/);
    // Without being asked to, it asks nobody, and knows still.
    expect((await pawl(place, ['models'], { env })).stdout).toMatch(/ONE +… +no credit: .*\$0 of credit/);
    expect(asked).toHaveLength(2);

    isRefusing = true;
    const refused = await pawl(place, ['models', '--credit'], { env });
    expect(refused.stdout).toContain(
      'does not tell what is left: The provider refused or failed (HTTP 401): no [key] of ours.',
    );
    expect(refused.stdout).not.toMatch(/key-(one|two)/);
    isRefusing = false;

    left['Bearer key-one'] = { data: {} };
    const silent = await pawl(place, ['models', '--credit'], { env });
    expect(silent.stdout).toContain('does not tell what is left');
    accounts.closeAllConnections();
    await new Promise((resolve) => accounts.close(resolve));
    const gone = await pawl(place, ['models', '--credit'], { env });
    expect([gone.code, gone.stdout]).toEqual([0, expect.stringContaining('does not tell what is left: ')]);
  });
});

describe('the model that was picked last (M7)', () => {
  it('is the default of its project where nothing else says one, and is told', async () => {
    const server = await wireServer(() => ({ text: 'Done.' }));
    const place = makePlace({ 'deep/a.ts': '', '.git/HEAD': '' });
    const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url };
    expect((await pawl(place, ['run', 'Hello'], { env })).code).toBe(2);
    expect((await pawl(place, ['run', '-m', 'anthropic/claude-x', 'Hello'], { env })).code).toBe(0);
    expect((await pawl(place, ['run', '-m', 'demo', 'List the files'], { env })).code).toBe(0);
    const again = await pawl(place, ['run', '-C', 'deep', 'Hello'], { env });
    expect(again).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Model anthropic/claude-x, as picked last in this project'),
    });
    expect(server.requests.map(({ model }) => model)).toEqual(['claude-x', 'claude-x']);
    const other = await pawl(place, ['run', 'List the files'], { env: { ...env, PAWL_MODEL: 'demo' } });
    expect(other.stderr).not.toContain('picked last');
    await server.close();
  });

  it('is remembered once it has answered, so that a mistyped one is not', async () => {
    const server = await wireServer(({ model }) =>
      model === 'typo'
        ? { status: 404, error: { type: 'not_found_error', message: 'model: typo' } }
        : { text: 'Done.' },
    );
    const place = makePlace();
    const env = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: server.url };
    expect((await pawl(place, ['run', '-m', 'anthropic/typo', 'Hello'], { env })).code).not.toBe(0);
    expect((await pawl(place, ['run', 'Hello'], { env })).stderr).toContain('No model is chosen');
    expect((await pawl(place, ['run', '-m', 'anthropic/good', 'Hello'], { env })).code).toBe(0);
    expect((await pawl(place, ['run', '-m', 'anthropic/typo', 'Hello'], { env })).code).not.toBe(0);
    expect((await pawl(place, ['run', 'Hello'], { env })).stderr).toContain('Model anthropic/good, as picked last');
    await server.close();
  });

  it('that cannot be read is none', async () => {
    const place = makePlace();
    mkdirSync(join(place.home, 'pawl'), { recursive: true });
    writeFileSync(join(place.home, 'pawl', 'last-models.json'), '{"broken');
    expect(await pawl(place, ['run', 'Hello'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('No model is chosen'),
    });
  });
});

describe('two keys and a pool (M6 to M8)', () => {
  it('carry a run on when one key must rest and one model is down, and say so in one line each', async () => {
    const down = { status: 500, error: { type: 'api_error', message: 'Broken.' } };
    const limited = {
      status: 429,
      error: { type: 'rate_limit_error', message: 'Slow down.' },
      headers: { 'retry-after': '60' },
    };
    const server = await wireServer(({ model, headers }) => {
      if (model === 'down') return down;
      return headers['x-api-key'] === 'first-key-of-two-0001' ? limited : { text: 'All is well.' };
    });
    const place = makePlace();
    configure(
      place,
      `model: smart\nproviders: { mine: { wire: anthropic, baseUrl: "${server.url}", keys: [{ env: KEY_A }, { env: KEY_B }] } }\npools: { smart: [mine/down, mine/up] }\n`,
    );
    const env = { KEY_A: 'first-key-of-two-0001', KEY_B: 'second-key-of-two-0002' };
    const { code, stdout, stderr } = await pawl(place, ['run', 'Hello'], { env });
    expect([code, stdout]).toEqual([0, 'All is well.\n']);
    expect(stderr).toContain('mine/up');
    expect(stderr).toMatch(/KEY_A/);
    expect(stderr).not.toContain('first-key');
    await server.close();
  });
});
