import type { JsonObject } from '@pawl/protocol';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Tool } from '../src/ports.ts';
import { createRegistry } from '../src/registry/registry.ts';

const schema: JsonObject = { type: 'object', properties: {} };
const tool = (name: string, changes: Partial<Tool> = {}): Tool => ({
  name,
  description: `the ${name}`,
  input: schema,
  effect: 'read',
  run: async () => ({ content: name }),
  ...changes,
});

describe('T1: the registry', () => {
  it('gives tools by name, and names and specs sorted', () => {
    const one = tool('b');
    const registry = createRegistry([one, tool('a')]);
    expect(registry.get('b')).toBe(one);
    expect(registry.get('c')).toBeUndefined();
    expect(registry.names()).toEqual(['a', 'b']);
    expect(registry.specs()).toEqual(
      ['a', 'b'].map((name) => ({ name, description: `the ${name}`, inputSchema: schema })),
    );
  });

  it('refuses a second tool of a name and takes one in its place on purpose', () => {
    const registry = createRegistry([tool('a')]);
    const other = tool('a');
    expect(() => registry.register(other)).toThrow(expect.objectContaining({ code: 'duplicate_tool' }));
    registry.replace(other);
    expect(registry.get('a')).toBe(other);
    expect(registry.unregister('a')).toBe(true);
    expect(registry.unregister('a')).toBe(false);
    expect(registry.names()).toEqual([]);
  });

  it('keeps the same specs until the set changes', () => {
    const registry = createRegistry([tool('a')]);
    const specs = registry.specs();
    expect(registry.specs()).toBe(specs);
    registry.register(tool('b'));
    expect(registry.specs()).toHaveLength(2);
    expect(specs).toHaveLength(1);
  });

  it('clones share the tools and nothing else', () => {
    const registry = createRegistry([tool('a')]);
    const clone = registry.clone();
    clone.register(tool('b'));
    registry.unregister('a');
    expect(registry.names()).toEqual([]);
    expect(clone.names()).toEqual(['a', 'b']);
  });

  it('can be narrowed to what a trust profile offers', () => {
    const registry = createRegistry([tool('a'), tool('b'), tool('c')]);
    expect(registry.only(['c', 'a']).names()).toEqual(['a', 'c']);
    expect(registry.only('none').names()).toEqual([]);
    expect(() => registry.only(['d'])).toThrow(expect.objectContaining({ code: 'unknown_tool' }));
  });

  it('describes inputs of schema libraries as JSON Schema', () => {
    const registry = createRegistry([tool('a', { input: z.object({ path: z.string() }) })]);
    expect(registry.specs()[0]?.inputSchema).toMatchObject({
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
    });
    expect(registry.specs()[0]?.inputSchema).not.toHaveProperty('$schema');
    const silent = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }) } } as const;
    expect(() => createRegistry([tool('a', { input: silent })])).toThrow(expect.objectContaining({ code: 'bad_tool' }));
    expect(createRegistry([tool('a', { input: silent, inputSchema: schema })]).specs()[0]?.inputSchema).toEqual(schema);
  });

  it('refuses what no provider would take', () => {
    for (const name of ['', 'a b', '1a', 'x'.repeat(65), 'a.b'])
      expect(() => createRegistry([tool(name)])).toThrow(expect.objectContaining({ code: 'bad_tool' }));
    expect(() => createRegistry([tool('a', { input: { type: 'string' } })])).toThrow(
      expect.objectContaining({ code: 'bad_tool' }),
    );
  });
});
