import { scriptedModel } from '@pawl/models/testing';
import { createHost, type DetailsOf, defineTool, type Json, memoryLog, type Tool, type ToolDefinition } from 'pawl';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';

async function sessionWith(script: Parameters<typeof scriptedModel>[0], tools: ToolDefinition[] = []) {
  const host = createHost({ log: memoryLog(), model: scriptedModel(script), tools, retry: false });
  return host.create({ cwd: process.cwd() });
}

describe('H11: what a turn gives back', () => {
  it('has the type of the schema, and what the schema makes of it', async () => {
    const session = await sessionWith([{ text: '{"bugs":"7"}' }]);
    const outputSchema = z.object({ bugs: z.string().transform(Number), kind: z.string().default('typo') });
    const { outcome, result } = await session.run('How many bugs?', { outputSchema });
    expectTypeOf(result).toEqualTypeOf<{ bugs: number; kind: string } | undefined>();
    expect({ outcome, result }).toEqual({ outcome: 'completed', result: { bugs: 7, kind: 'typo' } });
  });

  it('is any JSON where the schema is JSON Schema, and where there is none', async () => {
    const session = await sessionWith([{ text: '{"bugs":7}' }, { text: 'Fine.' }]);
    const outputSchema = { type: 'object', properties: { bugs: { type: 'integer' } }, required: ['bugs'] };
    const { result } = await session.run('How many bugs?', { outputSchema });
    expectTypeOf(result).toEqualTypeOf<Json | undefined>();
    expect(result).toEqual({ bugs: 7 });
    const plain = await session.run('Thanks');
    expectTypeOf(plain.result).toEqualTypeOf<Json | undefined>();
    expect(plain.result).toBeUndefined();
  });

  it('is refused where only the library of the schema sees the fault', async () => {
    const session = await sessionWith([{ text: '{"bugs":7}' }]);
    const outputSchema = z.object({ bugs: z.number().refine((bugs) => bugs % 2 === 0, 'Bugs come in pairs.') });
    await expect(session.run('How many bugs?', { outputSchema })).rejects.toMatchObject({
      code: 'bad_result',
      message: expect.stringContaining('Bugs come in pairs.') as string,
    });
  });

  it('is not asked for by a schema that cannot describe itself', async () => {
    const session = await sessionWith([]);
    const outputSchema = { '~standard': { validate: (value: unknown) => ({ value }) } };
    await expect(session.run('How many bugs?', { outputSchema })).rejects.toMatchObject({ code: 'bad_schema' });
  });
});

describe('H11: what a tool gives back', () => {
  /** What the log has of one call of this tool. */
  async function callOf(tool: ToolDefinition) {
    const session = await sessionWith([{ calls: [{ tool: tool.name, input: {} }] }, { text: 'Done.' }], [tool]);
    for await (const event of session.send('Go')) if (event.type === 'tool.finished') return event.data;
    throw new Error('The call did not finish.');
  }
  const common = { name: 'probe', description: 'Probes.', input: { type: 'object' }, effect: 'read' } as const;

  it('may be a text alone, at once or later', async () => {
    expect(await callOf({ ...common, run: () => 'at once' })).toMatchObject({ status: 'ok', content: 'at once' });
    expect(await callOf({ ...common, run: async () => 'later' })).toMatchObject({ status: 'ok', content: 'later' });
  });

  it.each([
    ['returned undefined', undefined],
    ['returned null', null],
    ['returned a number', 7],
    ['returned a list', ['text']],
    ['returned an object whose "content" is undefined', { text: 'mistaken' }],
    ['returned an object whose "content" is a list', { content: ['text'] }],
    ['returned an object whose "details" is a string', { content: 'text', details: 'mistaken' }],
    ['returned an object whose "isError" is a string', { content: 'text', isError: 'no' }],
  ])('is an error that says what is wrong: %s', async (fault, returned) => {
    const { status, content } = await callOf({ ...common, run: async () => returned as unknown as string });
    expect({ status, content }).toEqual({
      status: 'error',
      content: `The tool probe was run, and ${fault}. It has to return a text, or an object like { content: "text for the model" }.`,
    });
  });

  it('has details of one type, and arguments of its schema', async () => {
    const order = defineTool({
      name: 'order',
      description: 'Orders goods.',
      input: z.object({ count: z.number().default(1) }),
      effect: 'read',
      run: ({ count }) => {
        expectTypeOf(count).toEqualTypeOf<number>();
        return { content: `Ordered ${count}.`, details: { left: 5 - count } };
      },
    });
    expectTypeOf<DetailsOf<typeof order>>().toEqualTypeOf<{ left: number }>();
    expectTypeOf(order).toExtend<Tool>();
    expect(await callOf(order)).toMatchObject({ content: 'Ordered 1.', details: { left: 4 } });
    const plain = defineTool({ ...common, run: ({ any }) => `Got ${String(any)}.` });
    expect(await callOf(plain)).toMatchObject({ content: 'Got undefined.' });
  });

  it('is refused by the compiler where it is none', () => {
    // @ts-expect-error: a number is no outcome.
    defineTool({ ...common, run: () => 7 });
    // @ts-expect-error: nothing is no outcome.
    defineTool({ ...common, run: async () => undefined });
  });
});
