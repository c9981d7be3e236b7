import { createHash } from 'node:crypto';
import type { Message } from '@pawl/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { type OpenaiOptions, openai } from '../src/index.ts';
import { type WireServer, wireServer } from '../src/testing/index.ts';
import { string } from '../src/wires/fields.ts';
import { answerOf, assistant, request, results, user } from './support.ts';

let server: WireServer;
afterEach(() => server?.close());

const tools = [{ name: 'read', description: 'Reads a file. '.repeat(200), inputSchema: { type: 'object' } }];
const system = 'Be brief. '.repeat(500);

/** A run of so many steps, each with its own volatile text at the end; gives the bodies that were sent. */
async function run(steps: number, callsPerStep: number, options: Partial<OpenaiOptions> = {}, isRestarted = false) {
  await server?.close();
  server = await wireServer(() => ({ text: 'ok' }));
  const open = () =>
    openai({
      model: 'gpt-5.6-sol',
      apiKey: 'secret',
      // OpenAI's own address, which a proxy leads to this machine.
      baseUrl: 'http://api.openai.com/v1',
      environment: { http_proxy: server.url },
      ...options,
    });
  let model = open();
  const messages: Message[] = [user('Read everything.')];
  for (let step = 1; step <= steps; step++) {
    if (isRestarted) model = open();
    const sent = isRestarted ? structuredClone(messages) : [...messages];
    await answerOf(model, request(sent, { session: 'one', system, tools, tail: `Step ${step} of ${steps}.` }));
    const ids = Array.from({ length: callsPerStep }, (_, index) => `t1_s${step}_c${index + 1}`);
    messages.push(
      assistant(
        [
          { type: 'thinking', text: '', signature: `rs_${step}`, opaque: 'sealed '.repeat(20) },
          { type: 'text', text: `Step ${step}.`, signature: 'commentary' },
          ...ids.map((id) => ({ type: 'tool_call' as const, id, tool: 'read', input: { path: id } })),
        ],
        'openai/gpt-5.6-sol',
      ),
      results(...ids.map((call) => ({ call, tool: 'read', content: `${call} has this to say. `.repeat(12) }))),
    );
  }
  return server.requests;
}

type Block = { json: string; isMarked: boolean };

/** What the provider compares: tools, instructions, and each block of each item, marks taken away. */
function blocksOf(body: { [key: string]: unknown }): Block[] {
  const blocks: Block[] = [{ json: JSON.stringify([body.tools, body.instructions]), isMarked: false }];
  for (const item of body.input as { content?: unknown; output?: unknown }[]) {
    const list = Array.isArray(item.content) ? item.content : Array.isArray(item.output) ? item.output : null;
    if (list === null) {
      // The same text, with and without a mark, is the same prompt.
      const json = JSON.stringify(
        'output' in item ? { ...item, output: [{ type: 'input_text', text: item.output }] } : item,
      );
      blocks.push({ json, isMarked: false });
      continue;
    }
    for (const [index, block] of (list as { prompt_cache_breakpoint?: object }[]).entries()) {
      const { prompt_cache_breakpoint: mark, ...plain } = block;
      const { content: _content, output: _output, ...head } = item;
      blocks.push({ json: JSON.stringify([index === 0 ? head : null, plain]), isMarked: mark !== undefined });
    }
  }
  return blocks;
}

/**
 * A provider's cache by the published rules for models from 5.6 on: a prompt is found only up to a breakpoint that was
 * written; the latest 80 of a request are looked for; the latest 4 are written, or 3 and one at the very end in the
 * implicit mode; at least 1024 tokens. Source: https://developers.openai.com/api/docs/guides/prompt-caching.
 */
function cacheShare(bodies: readonly { [key: string]: unknown }[]) {
  const kept = new Set<string>();
  let before: Block[] = [];
  let readable = 0;
  let read = 0;
  let written = 0;
  for (const body of bodies) {
    const blocks = blocksOf(body);
    const tokens = blocks.map(({ json }) => Math.ceil(json.length / 4));
    const sums = [0];
    const keys = [string(body.prompt_cache_key)];
    for (const [index, { json }] of blocks.entries()) {
      sums.push((sums[index] ?? 0) + (tokens[index] ?? 0));
      keys.push(createHash('sha1').update(`${keys[index]}${json}`).digest('hex'));
    }
    const upTo = (end: number) => sums[end] ?? 0;
    const keyOf = (end: number) => keys[end] ?? '';
    const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index + 1] : []));
    const isImplicit = (body.prompt_cache_options as { mode?: string } | undefined)?.mode !== 'explicit';
    const ends = (isImplicit ? [...marks, blocks.length] : marks).filter((end) => upTo(end) >= 1024);
    const found = ends.slice(-80).findLast((end) => kept.has(keyOf(end))) ?? 0;
    for (const end of ends.slice(-4)) {
      if (end > found) written += upTo(end) - upTo(Math.max(found, ends.findLast((other) => other < end) ?? 0));
      kept.add(keyOf(end));
    }
    read += upTo(found);
    const same = blocks.findIndex(({ json }, index) => json !== before[index]?.json);
    readable += upTo(same === -1 ? blocks.length : same);
    before = blocks;
  }
  return { share: read / readable, readable, written };
}

describe('M5: the prompt cache of OpenAI’s models from 5.6 on', () => {
  it.each([
    [100, 3, 0.97],
    [100, 12, 0.95],
  ])('over %i steps of %i calls is read to more than %f of what could be', async (steps, calls, least) => {
    const bodies = (await run(steps, calls)).map(({ body }) => body);
    const { share, readable } = cacheShare(bodies);
    expect(readable).toBeGreaterThan(800_000);
    expect(share).toBeGreaterThan(least);
  });

  it('is not read at all where the provider marks the end, which is volatile', async () => {
    const bodies = (await run(30, 3)).map(({ body }) => body);
    const implicit = bodies.map(({ prompt_cache_options: _options, ...body }) => ({
      ...body,
      input: JSON.parse(
        JSON.stringify(body.input).replaceAll(',"prompt_cache_breakpoint":{"mode":"explicit"}', ''),
      ) as unknown,
    }));
    expect(cacheShare(implicit).share).toBe(0);
    expect(cacheShare(bodies).written).toBeLessThan(cacheShare(implicit).written / 10);
  });

  it('finds the same bytes at every step, also in another process', async () => {
    const kept = (await run(8, 2)).map(({ raw }) => raw);
    const anew = (await run(8, 2, {}, true)).map(({ raw }) => raw);
    expect(anew).toEqual(kept);
    const tail = /,\{"role":"user","content":\[\{"type":"input_text","text":"Step \d+ of 8\."\}\]\}\]\}$/;
    for (const [index, body] of kept.slice(1).entries()) {
      const before = kept[index]?.replace(tail, '') ?? '-';
      expect(before).not.toMatch(/of 8\./);
      expect(body.startsWith(before)).toBe(true);
    }
  });

  it('has marks on the system prompt and on every message that is not the model’s own', async () => {
    const [, second] = await run(2, 2);
    const marked = blocksOf(second?.body ?? {}).filter(({ isMarked }) => isMarked);
    expect(marked.map(({ json }) => json.slice(0, 60))).toEqual([
      expect.stringContaining('developer'),
      expect.stringContaining('"role":"user"'),
      expect.stringContaining('t1_s1_c2'),
    ]);
    expect(second?.system).toBe(system);
    expect(second?.body.prompt_cache_options).toEqual({ mode: 'explicit' });
  });

  it('may be kept longer, or not at all', async () => {
    const [long] = await run(1, 1, { cache: '1h' });
    expect(long?.body.prompt_cache_options).toEqual({ mode: 'explicit', ttl: '12h' });
    const [off] = await run(1, 1, { cache: 'off' });
    expect(off?.body).toMatchObject({ prompt_cache_options: { mode: 'explicit' }, instructions: system });
    expect(off?.raw).not.toContain('breakpoint');
    expect(off?.raw).not.toContain('prompt_cache_key');
  });

  it('is left to models before 5.6, which find a prefix by themselves: no marks', async () => {
    const requests = await run(3, 1, { model: 'gpt-5.5' });
    expect(requests.at(-1)?.raw).not.toMatch(/breakpoint|prompt_cache_options/);
    expect(requests.at(-1)?.body).toMatchObject({ prompt_cache_key: 'one', instructions: system });
  });

  it('has a key of no more characters than the API takes', async () => {
    server = await wireServer(() => ({ text: 'ok' }));
    const model = openai({ model: 'm', baseUrl: `${server.url}/v1`, environment: {} });
    await answerOf(model, request([user('Hi')], { session: `${'x'.repeat(80)}end` }));
    expect(server.requests[0]?.body.prompt_cache_key).toBe(`${'x'.repeat(61)}end`);
  });
});
