import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wireServer } from '@pawl/models/testing';
import { expect, it } from 'vitest';
import { makePlace, pawl } from './pawl.ts';

type Line = { type: string; data: { call?: string } };

async function runAll(commands: readonly string[]) {
  const server = await wireServer(({ messages }) =>
    messages.length === 1
      ? { calls: commands.map((command) => ({ tool: 'bash', input: { command } })) }
      : { text: 'Done.' },
  );
  const env = { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url };
  const place = makePlace();
  const flags = ['-m', 'anthropic/my-own', '--permission-mode', 'auto', '--output-format', 'stream-json'];
  const run = await pawl(place, ['run', ...flags, 'Go.'], { env });
  await server.close();
  expect(run.code).toBe(0);
  const lines = run.stdout
    .trim()
    .split('\n')
    .map((line): Line => JSON.parse(line));
  const order = lines.flatMap(({ type }) => (/^tool\.(?:started|finished)$/.test(type) ? [type] : []));
  return { order, textOf: (name: string) => readFileSync(join(place.folder, name), 'utf8') };
}

it('E8: commands that surely touch different files run side by side', async () => {
  const numbers = Array.from({ length: 6 }, (_, index) => index);
  const { order, textOf } = await runAll(numbers.map((number) => `sleep 0.5; echo ${number} > made${number}.txt`));
  expect(order).toEqual([...numbers.map(() => 'tool.started'), ...numbers.map(() => 'tool.finished')]);
  expect(numbers.map((number) => textOf(`made${number}.txt`))).toEqual(numbers.map((number) => `${number}\n`));
});

it.each([
  ['one file', (number: number) => `sleep 0.1; echo ${number} >> lines.txt`],
  ['nobody knows what', (number: number) => `sleep 0.1; x=lines.txt; echo ${number} >> $x`],
])('E8: commands that touch %s run in the order of the answer', async (_, commandOf) => {
  const { order, textOf } = await runAll([1, 2, 3].map(commandOf));
  expect(order).toEqual([1, 2, 3].flatMap(() => ['tool.started', 'tool.finished']));
  expect(textOf('lines.txt')).toBe('1\n2\n3\n');
});
