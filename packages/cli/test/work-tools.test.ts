import type { JsonObject } from '@pawl/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { builtinTools, createHost, memoryLog } from '../src/index.ts';

const usage = {
  inputTokens: 1,
  outputTokens: 1,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};

const workTools = ['ask', 'done', 'escalate', 'list_tools', 'notes', 'notify', 'stage', 'todo'];

it('T6: whatever a model gives them, the work tools run or say what is wrong, in every mode and without a question', async () => {
  const anything = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    object: fc.dictionary(
      fc.constantFrom(
        'todos',
        'questions',
        'header',
        'question',
        'options',
        'label',
        'default',
        'key',
        'action',
        'value',
        'message',
      ),
      tie('value'),
      { maxKeys: 4 },
    ),
  })).object as fc.Arbitrary<JsonObject>;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...workTools), anything), { minLength: 1, maxLength: 5 }),
      async (calls) => {
        let asked = 0;
        const host = createHost({
          log: memoryLog(),
          tools: builtinTools(),
          model: {
            id: 'fake/model',
            info: { contextTokens: 100_000, outputTokens: 1000, isPriceKnown: true },
            async *stream() {
              const content =
                asked++ === 0
                  ? calls.map(([tool, input]) => ({ type: 'tool_call' as const, tool, input }))
                  : [{ type: 'text' as const, text: 'Done.' }];
              const stopReason = asked === 1 ? ('tool_calls' as const) : ('end' as const);
              yield { type: 'finished', message: { content, stopReason, usage, costUsd: 0 } };
            },
          },
        });
        const session = await host.create({ cwd: '/', mode: 'plan', limits: { steps: 3 } });
        const { outcome } = await session.run('Go.');
        expect(['completed', 'blocked', 'failed']).toContain(outcome);
        for (const event of await host.read(session.id)) {
          if (event.type === 'tool.judged')
            expect(event.data.verdict === 'deny' && event.data.isMistake !== true).toBe(false);
        }
        await host.close();
      },
    ),
    { numRuns: 60 },
  );
});

it('T6: what the calls of one step do to notes and list holds in their order', async () => {
  const note = (action: string, value?: string) => ({
    tool: 'notes',
    input: { action, key: 'port', ...(value !== undefined && { value }) },
  });
  const todo = (text: string) => ({ tool: 'todo', input: { todos: [{ text, status: 'pending' }] } });
  const calls = [note('set', '1'), note('get'), todo('first'), note('set', '2'), note('get'), todo('second')];
  let asked = 0;
  const host = createHost({
    log: memoryLog(),
    tools: builtinTools(),
    model: {
      id: 'fake/model',
      info: { contextTokens: 100_000, outputTokens: 1000, isPriceKnown: true },
      async *stream() {
        const content =
          asked++ === 0
            ? calls.map((call) => ({ type: 'tool_call' as const, ...call }))
            : [{ type: 'text' as const, text: 'Done.' }];
        const stopReason = asked === 1 ? ('tool_calls' as const) : ('end' as const);
        yield { type: 'finished', message: { content, stopReason, usage, costUsd: 0 } };
      },
    },
  });
  const session = await host.create({ cwd: process.cwd(), mode: 'plan' });
  await session.run('go');
  const { todos } = await session.view();
  const events = await host.read(session.id);
  const results = events.flatMap((event) => (event.type === 'tool.finished' ? [event.data.content] : []));
  await host.close();
  expect(results).toEqual(['Noted "port".', '1', '0 of 1 are done.', 'Noted "port".', '2', '0 of 1 are done.']);
  expect(todos).toEqual([{ text: 'second', status: 'pending' }]);
});
