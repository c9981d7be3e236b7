import { wireServer } from '@pawl/models/testing';
import { expect, it } from 'vitest';
import { makePlace, pawl } from './pawl.ts';

/** Bytes that the first request of a session may have, with everything that is built in. */
const maxBytes = 12_000;

it('T6, M5: the first request is small, names what is rarely used, and grows only by what was looked for', async () => {
  const server = await wireServer(({ messages }) => {
    if (messages.length === 1) return { calls: [{ tool: 'list', input: {} }] };
    if (messages.length === 3) return { calls: [{ tool: 'list_tools', input: { query: 'git_status' } }] };
    return { text: 'Done.' };
  });
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url };
  const run = await pawl(makePlace({ 'a.txt': 'hello' }), ['run', '-m', 'anthropic/my-own', 'Look.'], { env });
  await server.close();
  expect(run.code).toBe(0);
  const bodies = server.requests.map(({ body }) => body as { tools: { name: string; description: string }[] });
  const [first, second, third] = bodies;
  expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThanOrEqual(maxBytes);
  const names = first?.tools.map(({ name }) => name) ?? [];
  expect(names).toEqual(
    expect.arrayContaining(['bash', 'edit', 'grep', 'list_tools', 'read', 'task', 'todo', 'write']),
  );
  expect(names).not.toContain('git_status');
  expect(first?.tools.find(({ name }) => name === 'list_tools')?.description).toMatch(
    /Not described here: .*git_status.*task_send/,
  );
  // A prompt cache keeps them until something is found.
  expect(JSON.stringify(second?.tools.map(({ name, description }) => [name, description]))).toBe(
    JSON.stringify(first?.tools.map(({ name, description }) => [name, description])),
  );
  expect(new Set(third?.tools.map(({ name }) => name))).toEqual(new Set([...names, 'git_status']));
});
