import type { JsonObject } from '@pawl/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandEnvironment, secretsIn } from '../src/environment.ts';
import { createRedactor, isSecretName } from '../src/index.ts';
import { createWorkspace } from './workspace.ts';

const secret = fc
  .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/+="\\é'), {
    minLength: 8,
    maxLength: 60,
  })
  .map((letters) => letters.join(''));
const around = fc.string({ maxLength: 40 });

describe('P11: secrets in texts (scenario 54)', () => {
  it('are taken out in every form, wherever they stand', () => {
    fc.assert(
      fc.property(secret, around, around, (key, before, after) => {
        const { redact } = createRedactor([key]);
        const bytes = Buffer.from(`${before}${key}${after}`);
        expect(redact(`${before}${key}${after}`)).not.toContain(key);
        expect(redact(JSON.stringify({ [before]: `${key}${after}` }))).not.toContain(JSON.stringify(key).slice(1, -1));
        expect(redact(`https://x/?k=${encodeURIComponent(key)}`)).toBe('https://x/?k=[secret]');
        for (const form of ['base64', 'base64url', 'hex'] as const) {
          const left = redact(bytes.toString(form)).replace('[secret]', '');
          // At most a letter at each end of what is not wholly the secret's is left.
          const most =
            bytes.toString(form).length - Math.floor((Buffer.byteLength(key) * (form === 'hex' ? 2 : 4 / 3)) / 1) + 4;
          if (key.length >= 12) expect(left.length).toBeLessThanOrEqual(most);
        }
      }),
    );
  });

  it('are marked by their name where they are kept, and keys of well-known services by their form', () => {
    const { keep = (text: string) => text } = createRedactor([{ name: 'MY_KEY', value: 'abcdefgh12345678' }]);
    expect(keep('x abcdefgh12345678 y')).toBe('x [secret:MY_KEY] y');
    const letters = 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kL9nP2rS5';
    for (const [name, value] of [
      ['anthropic', `sk-ant-api03-${letters}`],
      ['openai', `sk-proj-${letters}`],
      ['github', `ghp_${letters}`],
      ['aws', 'AKIAABCDEFGHIJKLMNOP'],
      ['huggingface', `hf_${letters}`],
      ['private-key', `-----BEGIN OPENSSH PRIVATE KEY-----\n${letters}\n-----END OPENSSH PRIVATE KEY-----`],
    ] as const) {
      expect(keep(`KEY="${value}"\n`)).toBe(`KEY="[secret:${name}]"\n`);
      expect(keep(JSON.stringify({ text: value }))).toContain(`[secret:${name}]`);
    }
    for (const text of [
      'a task-force-that-has-a-very-long-name-0123456789',
      'sk-learn-is-a-library-and-this-is-a-long-slug',
      'hf_hub',
      'AKIA',
    ])
      expect(keep(text)).toBe(text);
  });

  it('are taken out of a stream, however it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 3 }),
        fc.array(around, { minLength: 2, maxLength: 6 }),
        fc.infiniteStream(fc.nat(7)),
        (keys, texts, cuts) => {
          const { redact, stream } = createRedactor(keys);
          const text = texts.map((part, index) => part + (keys[index % keys.length] ?? '')).join('');
          const { push, end } = stream();
          let said = '';
          for (let at = 0; at < text.length; ) {
            const length = 1 + (cuts.next().value ?? 0);
            said += push(text.slice(at, at + length));
            for (const key of keys) expect(said).not.toContain(key);
            at += length;
          }
          said += end();
          for (const key of keys) expect(said).not.toContain(key);
          if (keys.length === 1) expect(said.replaceAll('[secret]', '')).toBe(redact(text).replaceAll('[secret]', ''));
        },
      ),
    );
  });

  it('costs nothing where there are none, and leaves short words alone', () => {
    const { redact, stream } = createRedactor(['', 'short']);
    expect(redact('a short text')).toBe('a short text');
    expect(stream().push('a short')).toBe('a short');
  });
});

describe('P11: secrets in an output that is cut', () => {
  const key = 'sk-test-0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
  const { redact } = createRedactor([key]);
  const pieces = Array.from({ length: key.length - 11 }, (_, start) => key.slice(start, start + 12));
  const leaks = (text: string) => pieces.filter((piece) => redact(text).includes(piece));

  it('are not cut in two, wherever the cut falls', async () => {
    const { call } = createWorkspace({ maxCommandOutputBytes: 4096, sandbox: { mode: 'off' } });
    for (let more = 0; more < 52; more += 3) {
      const command = `printf '%0${more + 1}d ' 0; for i in {1..200}; do printf '${key} '; done`;
      const { content } = await call('bash', { command });
      expect(content).toContain('bytes omitted');
      expect(leaks(content)).toEqual([]);
    }
  });

  it('are on one page of a background process', async () => {
    const { call } = createWorkspace({ sandbox: { mode: 'off' } });
    const command = `for i in {1..2000}; do printf '${key} '; done; echo over`;
    const { details } = await call('bash', { command, background: true });
    const id = String(details?.process);
    const output = (input: JsonObject = {}) => call('process', { action: 'output', id, ...input });
    await expect.poll(async () => (await output()).content).toContain('over');
    expect(leaks(await output().then(({ content }) => content))).toEqual([]);
    let all = '';
    for (let since = 0, end = false; !end; ) {
      const page = await output({ since });
      expect(leaks(page.content)).toEqual([]);
      end = page.content.includes('over');
      since = Number(page.details?.next);
      all += page.content.split('\n(')[0];
    }
    expect(all.split(key).length - 1).toBe(2000);
  });
});

describe('P11: secrets in the environment', () => {
  it('are known by the names that they have', () => {
    const names =
      'SLACK_WEBHOOK_URL DISCORD_WEBHOOK SESSION_COOKIE APP_JWT NPM_AUTH BASIC_AUTH_HEADER OAUTH_CLIENT NPM_CONFIG__AUTH X_CREDS MYSQL_PWD KEYS';
    for (const name of names.split(' ')) expect([name, isSecretName(name)]).toEqual([name, true]);
    for (const name of 'PWD OLDPWD SSH_AUTH_SOCK GIT_CONFIG_KEY_0 GIT_CONFIG_KEY_12 GIT_AUTHOR_NAME XAUTHORITY AUTHORS COOKIECUTTER_DIR'.split(
      ' ',
    ))
      expect([name, isSecretName(name)]).toEqual([name, false]);
  });

  it('are kept from commands by what they hold too', () => {
    const environment = {
      A: 'sk-ant-api03-abc',
      B: 'ghp_abcdefghijklmnopqrstuvwxyz0123456789',
      C: 'postgres://user:hunter2@host/db',
      D: 'eyJhbGciOiJIUzI1NiJ9.e30.x',
      E: 'prefix configured-key-123',
      PLAIN: 'https://user@host/path',
      PATH: '/bin',
    };
    const kept = commandEnvironment({ environment, keptVariables: ['D'], secrets: ['configured-key-123'] });
    expect(Object.keys(kept).filter((name) => name in environment)).toEqual(['D', 'PLAIN', 'PATH']);
  });

  it('are taken out of texts only where they can be nothing else', () => {
    const environment = {
      DB_PASSWORD: 'postgres',
      API_KEY: 'sk-abcdef123456',
      PROXY: 'http://user:p4ssw0rd-1234@proxy:3128',
      KEY_FILE: '/home/me/key-2024.pem',
      HOME: '/home/abc123456789',
    };
    expect(secretsIn(environment)).toEqual([
      'sk-abcdef123456',
      'http://user:p4ssw0rd-1234@proxy:3128',
      'p4ssw0rd-1234',
    ]);
  });
});
