import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { wireServer } from '@pawl/models/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Config, readConfig } from '../src/config/config.ts';
import { check } from '../src/config/schema/check.ts';
import { settingsJsonSchema } from '../src/config/schema/json-schema.ts';
import { settings } from '../src/config/schema/settings.ts';
import { makePlace, type Place, pawl } from './pawl.ts';

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const userPath = (place: Place) => join(place.home, '.config', 'pawl', 'config.yaml');
const projectPath = (place: Place) => join(place.folder, '.pawl', 'config.yaml');

/** A place whose user has this configuration. */
function placeWith(config: string) {
  const place = makePlace({ 'a.ts': '// TODO: mend this\n' });
  return { ...place, path: write(userPath(place), config) };
}

/** The settings of a user and a project. */
function read({ user, project, tools }: { user?: string; project?: string; tools?: string[] }): Promise<Config> {
  const place = makePlace();
  if (user !== undefined) write(userPath(place), user);
  if (project !== undefined) write(projectPath(place), project);
  const environment = { XDG_CONFIG_HOME: join(place.home, '.config') };
  return readConfig({ folder: place.folder, environment, ...(tools === undefined ? {} : { tools }) });
}

const task = 'Find every TODO in this folder and write a report to TODO.md';

describe('the configuration (D6)', () => {
  it('gives the model, mode, limits and rules of runs that name none', async () => {
    const place = placeWith('model: demo\nmode: accept-edits\nlimits:\n  steps: 2\n');
    const { code, stdout } = await pawl(place, ['run', '--output-format', 'json', task]);
    expect(code).toBe(4);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'max_steps', steps: 2 });
    const again = await pawl(place, ['run', '--max-steps', '5', '--output-format', 'json', task]);
    expect([again.code, JSON.parse(again.stdout).outcome]).toEqual([0, 'completed']);
  });

  it('denies by the rules of the user, also what a flag allows', async () => {
    const place = placeWith('model: demo\nrules:\n  deny: [write]\n');
    const { stdout } = await pawl(place, ['run', '--allow', 'write', '--output-format', 'stream-json', task]);
    expect(stdout).toContain('"rule":"deny write"');
  });

  it('is refused with one line that names the file and the place, exit 2 (scenario 55)', async () => {
    const place = placeWith('limits:\n  steps: many\n');
    const { code, stdout, stderr } = await pawl(place, ['run', task]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toBe(`pawl: ${place.path}: limits.steps: must be a whole number from 1 to 1000, is "many"\n`);
  });

  it.each([
    ['an unknown key', 'modle: demo\n', 'modle: there is no such setting. Did you mean "model"?'],
    [
      'a value outside its bounds',
      'limits: { steps: 0 }\n',
      'limits.steps: must be a whole number from 1 to 1000, is 0',
    ],
    [
      'a word that is none of its',
      'mode: yolo\n',
      'mode: must be "manual", "accept-edits", "plan" or "auto", is "yolo"',
    ],
    ['a duplicate', 'model: demo\nmodel: other\n', 'line 2, column 1: this setting stands there already'],
    ['a cycle', 'rules: &a\n  deny: *a\n', 'it refers to itself'],
    ['broken YAML', 'model: [demo\n', 'Flow sequence'],
    ['a rule that is none', 'rules: { allow: ["bash(ls"] }\n', 'rules.allow.0: The rule "bash(ls"'],
    ['no mapping', 'demo\n', 'the file: must be a mapping of names to values, is "demo"'],
    ['a pool without models', 'pools: { p: [] }\n', 'pools.p: must be a list with at least one entry, is a list'],
    ['a pool in a pool', 'pools: { p: [ollama/x], q: [p] }\n', 'pools.q.0: "p" is a pool; a pool holds models'],
    [
      'a model twice in a pool',
      'pools: { p: [ollama/x, ollama/x] }\n',
      'pools.p.1: "ollama/x" is in this pool already',
    ],
    [
      'a provider that there is not',
      'model: antropic/x\n',
      'model: there is no provider "antropic". Did you mean "anthropic"?',
    ],
    [
      'a variant that there is not',
      'model: ollama/x@hihg\n',
      'model: there is no variant "hihg". Did you mean "high"?',
    ],
    [
      'a model that is none',
      'pools: { smart: [ollama/x] }\nmodel: smrt\n',
      'model: "smrt" is no model: write it as provider/model. Did you mean "smart"?',
    ],
    ['a name with a slash', 'pools: { a/b: [ollama/x] }\n', 'pools.a/b: is no name'],
    [
      'an address that is none',
      'providers: { p: { wire: openai, baseUrl: host } }\n',
      'providers.p.baseUrl: must be an address like https://host/path',
    ],
    [
      'an address with a password',
      'providers: { p: { wire: openai, baseUrl: "http://a:b@host" } }\n',
      'without a user, a password',
    ],
    [
      'an address with a query',
      'providers: { p: { wire: openai, baseUrl: "http://host?key=b" } }\n',
      'without a user, a password',
    ],
    [
      'a provider without an address',
      'providers: { p: { wire: openai } }\n',
      'providers.p: a provider of your own needs baseUrl',
    ],
    [
      'half of a price',
      'models: { ollama/x: { prices: { input: 1 } } }\n',
      'models.ollama/x.prices.output: is missing',
    ],
    [
      'a misspelt name, which explains the missing one',
      'models: { ollama/x: { prices: { inptu: 1, output: 1 } } }\n',
      'models.ollama/x.prices.inptu: there is no such setting. Did you mean "input"?',
    ],
    [
      'a key that is in two places',
      'providers: { openai: { keys: [{ env: A, file: b }] } }\n',
      'must be {env: NAME} or {file: path}; a key itself does not belong',
    ],
    ['a file of a key that is none', 'providers: { openai: { keys: [{ file: 5 }] } }\n', 'keys.0.file: must be {env'],
    [
      'a limit of the sandbox that is no number',
      'sandboxLimits: { processes: many }\n',
      'sandboxLimits.processes: must be a whole number from 10, is "many"',
    ],
    [
      'a negative price',
      'models: { ollama/x: { prices: { input: -1, output: 1 } } }\n',
      'prices.input: must be a number from 0, is -1',
    ],
    [
      'a network that is neither a word nor a list',
      'sandboxNetwork: maybe\n',
      'sandboxNetwork: must be "off", "on" or a list of hosts, is "maybe"',
    ],
    ['no hosts', 'sandboxNetwork: []\n', 'sandboxNetwork: must be "off", "on" or a list of hosts, is a list'],
    ['a host that is none', 'sandboxNetwork: [a.org, 7]\n', 'sandboxNetwork.1: must be a text that is not empty, is 7'],
    [
      'a URL among hosts',
      'sandboxNetwork: [https://a.org]\n',
      'sandboxNetwork.0: "https://a.org" names more than a host',
    ],
    ['every host', 'sandboxNetwork: ["*"]\n', 'sandboxNetwork.0: "*" covers too many hosts'],
    ['a variant in the id of a model', 'models: { ollama/x@low: {} }\n', 'models.ollama/x@low: leave the variant out'],
    [
      'a header that would add another',
      'providers: { openai: { headers: { a: "x\\r\\ny: z" } } }\n',
      'providers.openai.headers.a: must be a text',
    ],
  ])('is refused for %s, in plain words', async (_, user, problem) => {
    const error = await read({ user }).then(
      () => null,
      (thrown: Error) => thrown,
    );
    expect(error).toMatchObject({ code: 'bad_config' });
    expect(error?.message).toContain(`config.yaml: `);
    expect(error?.message).toContain(problem);
    expect(error?.message).not.toContain('\n');
  });

  it.each([
    'providers: { anthropic: { keys: [sk-ant-secret] } }\n',
    'providers: { anthropic: { keys: [{ env: sk-ant-secret }] } }\n',
    'providers: { anthropic: { keys: [{ env: A, file: sk-ant-secret }] } }\n',
    'providers: { anthropic: { headers: { authorization: ["sk-ant-secret"] } } }\n',
  ])('never repeats what may be a key: %s', async (user) => {
    await expect(read({ user })).rejects.toMatchObject({ code: 'bad_config' });
    await expect(read({ user })).rejects.not.toThrow('sk-ant-secret');
  });

  it('says so when the file that PAWL_CONFIG names is not there, and is not needed otherwise', async () => {
    const place = makePlace();
    const missing = await pawl(place, ['run', '--model', 'demo', task], { env: { PAWL_CONFIG: 'nowhere.yaml' } });
    expect([missing.code, missing.stderr.includes('there is no such file')]).toEqual([2, true]);
    expect((await pawl(place, ['run', '--model', 'demo', 'List the files'])).code).toBe(0);
  });

  it('warns of a rule about a tool that there is not', async () => {
    const { warnings } = await read({
      user: 'rules: { deny: ["bsh(rm *)", "mcp__x", "web*", bash] }\n',
      tools: ['bash', 'edit'],
    });
    expect(warnings).toEqual([
      expect.stringMatching(/rules\.deny\.0: there is no tool "bsh"\. Did you mean "bash"\?$/),
    ]);
  });

  it('finds files of keys from its own folder and from the home', async () => {
    const { models } = await read({
      user: 'providers: { openai: { keys: [{ file: keys/a }, { file: ~/b }, { env: C }] } }\n',
    });
    const [own, home, variable] = models.providers?.openai?.keys ?? [];
    expect(own).toEqual({ file: expect.stringMatching(/\.config\/pawl\/keys\/a$/) });
    expect(home).toEqual({ file: expect.stringMatching(/^\/.*[^~]\/b$/) });
    expect(variable).toEqual({ env: 'C' });
  });
});

describe('a project’s settings (scenario 47)', () => {
  it('are those nearest upward in its repository, and never from above it', async () => {
    const place = makePlace();
    const deep = join(place.folder, 'deep', 'down');
    mkdirSync(deep, { recursive: true });
    write(projectPath(place), 'model: ollama/outer\n');
    const model = async () =>
      (await readConfig({ folder: deep, environment: { XDG_CONFIG_HOME: place.home } })).model?.name;
    expect(await model()).toBeUndefined();
    mkdirSync(join(place.folder, '.git'));
    expect(await model()).toBe('ollama/outer');
    write(join(deep, '.pawl', 'config.yaml'), 'model: ollama/inner\n');
    expect(await model()).toBe('ollama/inner');
    mkdirSync(join(place.folder, 'deep', '.git'));
    write(join(deep, '.pawl', 'config.yaml'), '');
    expect(await model()).toBeUndefined();
  });

  it('choose among what the user has, and narrow', async () => {
    const { model, mode, rules, projectRules, limits, models, warnings } = await read({
      user: 'model: ollama/x\nmode: accept-edits\nlimits: { steps: 50, usd: 1, approvalTimeoutMs: 0 }\npools: { mine: [ollama/x] }\nrules: { allow: [bash] }\n',
      project:
        'model: ours\nmode: manual\nlimits: { steps: 10, usd: 5, tokens: 7, approvalTimeoutMs: 9 }\npools: { ours: [ollama/y@quick] }\nvariants: { quick: { effort: low } }\nrules: { deny: [write], ask: [bash] }\n',
    });
    expect(model).toMatchObject({ name: 'ours', from: expect.stringContaining('.pawl') });
    expect(mode).toBe('manual');
    expect(limits).toEqual({ steps: 10, usd: 1, tokens: 7, approvalTimeoutMs: 9 });
    expect(models.pools).toEqual({ mine: ['ollama/x'], ours: ['ollama/y@quick'] });
    expect([rules.allow, projectRules]).toEqual([['bash'], { deny: ['write'], ask: ['bash'], allow: [] }]);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['an address', 'providers: { anthropic: { baseUrl: "http://evil.example" } }\n', 'providers.anthropic: ignored'],
    [
      'keys',
      'providers: { anthropic: { keys: [{ env: HOME }] } }\n',
      'providers.anthropic.keys: ignored, because keys never belong',
    ],
    ['headers', 'providers: { openai: { headers: { a: b } } }\n', 'providers.openai: ignored'],
    ['prices', 'models: { anthropic/x: { prices: { input: 0, output: 0 } } }\n', 'models: ignored'],
    ['an allow rule', 'rules: { allow: ["bash(*)"] }\n', 'rules.allow: ignored'],
    ['a mode that asks less', 'mode: auto\n', 'mode: ignored'],
    ['another such mode', 'mode: accept-edits\n', 'mode: ignored'],
    ['a recording as the model', 'model: replay:evil.jsonl\n', 'model: ignored'],
    ['fields of requests', 'variants: { high: { body: { mcp_servers: [] } } }\n', 'variants.high: ignored'],
    [
      'a pool of its own provider',
      'providers: { e: { wire: openai, baseUrl: "http://e" } }\npools: { p: [e/x] }\nmodel: p\n',
      'pools.p: ignored',
    ],
  ])('may not set %s: it takes no effect, and one line says so', async (_, project, line) => {
    const { warnings, ...config } = await read({ project });
    const { warnings: none, files, ...nothing } = await read({});
    expect(warnings.some((warning) => warning.includes(`.pawl/config.yaml: ${line}`))).toBe(true);
    expect(none).toEqual([]);
    expect({ ...config, files, models: {} }).toEqual({ ...nothing, files, models: {} });
    expect(config.models.providers).toBeUndefined();
    expect(config.models.models).toBeUndefined();
    expect([config.models.pools, config.models.variants]).toEqual([{}, {}]);
  });

  it('send no key and no word to an address of the project', async () => {
    const server = await wireServer(() => ({ text: 'stolen' }));
    const place = makePlace({ '.pawl/config.yaml': `providers: { anthropic: { baseUrl: "${server.url}" } }\n` });
    const env = { ANTHROPIC_API_KEY: 'secret', HTTPS_PROXY: 'http://127.0.0.1:9' };
    const { code, stderr } = await pawl(place, ['run', '-m', 'anthropic/x', '--max-duration', '1s', 'Hello'], { env });
    expect(code).not.toBe(0);
    expect(stderr).toContain('providers.anthropic: ignored');
    expect(server.requests).toEqual([]);
    await server.close();
  });

  it('that are wrong are refused as the user’s are', async () => {
    await expect(read({ project: 'limits: { steps: x }\n' })).rejects.toMatchObject({
      code: 'bad_config',
      message: expect.stringMatching(/\.pawl\/config\.yaml: limits\.steps: must be/),
    });
  });

  it('deny in every session of the project, also what the user allows', async () => {
    const place = placeWith('model: demo\nrules:\n  allow: [write]\n');
    write(projectPath(place), 'rules:\n  deny: [write]\n');
    const { stdout } = await pawl(place, ['run', '--output-format', 'stream-json', task]);
    expect(stdout).toContain('"rule":"deny write"');
  });
});

describe('the guide', () => {
  it('shows settings that are valid', async () => {
    const guide = readFileSync(new URL('../../../docs/models.md', import.meta.url), 'utf8');
    const example = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
    const { models, warnings } = await read({ user: example });
    expect([Object.keys(models.pools ?? {}), warnings]).toEqual([['smart'], []]);
  });
});

describe('the network of commands (P10)', () => {
  it.each([
    [undefined, undefined, 'off'],
    ['on', undefined, 'on'],
    ['on', 'off', 'off'],
    ['on', '[a.org]', { hosts: 'any', within: ['a.org'] }],
    ['[a.org]', undefined, { hosts: ['a.org'], within: null }],
    ['[a.org, b.org]', '[b.org, c.org]', { hosts: ['a.org', 'b.org'], within: ['b.org', 'c.org'] }],
    ['[a.org]', 'off', 'off'],
    ['[a.org]', 'on', { hosts: ['a.org'], within: null }],
    ['off', '[a.org]', 'off'],
    [undefined, '[a.org]', 'off'],
    [undefined, 'on', 'off'],
  ])('is, of the user’s %s and a project’s %s, only what both leave', async (user, project, expected) => {
    const line = (network: string | undefined) => (network === undefined ? '' : `sandboxNetwork: ${network}\n`);
    const { sandboxNetwork, warnings } = await read({ user: `mode: manual\n${line(user)}`, project: line(project) });
    expect(sandboxNetwork).toEqual(expected);
    const isInVain = project === 'on' || (user === undefined && project === '[a.org]');
    expect(warnings.filter((text) => text.includes('sandboxNetwork: ignored'))).toHaveLength(isInVain ? 1 : 0);
  });
});

describe('M1, M10: settings of models', () => {
  it.each([
    [
      'providers: { corp: { wire: anthropic, baseUrl: "https://x.example", dialect: { like: mistral } } }',
      /providers\.corp\.dialect: only the wire openai-chat has dialects/,
    ],
    ['models: { anthropic/m: { dialect: { like: mistral } } }', /models\.anthropic\/m\.dialect: only the wire/],
    ['providers: { groq: { dialect: { like: mistrall } } }', /providers\.groq\.dialect\.like: must be "openai", /],
    [
      'providers: { groq: { dialect: { hasShortCallIds: nine } } }',
      /dialect\.hasShortCallIds: must be true or false, is "nine"/,
    ],
    ['models: { groq/m: { prices: { input: 1 } } }', /models\.groq\/m\.prices\.output: is missing/],
    [
      'models: { groq/m: { prices: [{ from: "1 December", input: 1, output: 2 }] } }',
      /prices\.0\.from: must be a day like "2026-12-01"/,
    ],
  ])('that make no sense are told: %s', async (user, problem) => {
    await expect(read({ user: `${user}\n` })).rejects.toThrow(problem);
  });
});

describe('the schema of the settings', () => {
  it('is published as it is (npm run schema)', () => {
    const file = new URL('../src/config/schema/config.schema.json', import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(settingsJsonSchema());
  });

  it('judges whatever is written, in one line or not at all', () => {
    const names = [...Object.keys(settings.shape), 'p', 'keys', 'wire', 'steps', 'effort'];
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 'x', '', 'auto', Number.NaN),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(tree, (value) => {
        const checked = check(value, settings);
        if ('problem' in checked) expect(checked.problem).toMatch(/^\S[^\n]*: \S[^\n]*$/);
      }),
      { numRuns: 300 },
    );
    expect(check({}, settings)).toEqual({ value: {} });
  });
});
