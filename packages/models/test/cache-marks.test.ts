import type { Message } from '@pawl/protocol';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnthropicOptions, anthropic } from '../src/index.ts';
import { type PromptCache, promptCache, type WireServer, wireServer } from '../src/testing/index.ts';
import { createBodyMaker } from '../src/wires/anthropic/body.ts';
import { answerOf, assistant, request, results, user } from './support.ts';

let server: WireServer | undefined;
afterEach(() => server?.close());

const tools = Array.from({ length: 8 }, (_, index) => ({
  name: `tool_${index}`,
  description: `Does the thing of number ${index}. `.repeat(10),
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}));
const system = 'You work on a project. '.repeat(100);

/** What a step adds: an answer with calls, and their results. */
function step(number: number, calls: number, model = 'anthropic/m', thought: string | null = null): Message[] {
  const ids = Array.from({ length: calls }, (_, index) => `t1_s${number}_c${index + 1}`);
  return [
    assistant(
      [
        ...(thought === null ? [] : [{ type: 'thinking' as const, text: thought, signature: `sig${number}` }]),
        ...ids.map((id) => ({ type: 'tool_call' as const, id, tool: 'tool_1', input: { path: `file ${id}` } })),
      ],
      model,
    ),
    results(...ids.map((call) => ({ call, tool: 'tool_1', content: `Lines of ${call}: ${'x'.repeat(300)}` }))),
  ];
}

type Run = {
  steps: number;
  calls: number;
  options?: Partial<AnthropicOptions>;
  tail?: boolean;
  thought?: string | null;
};

/** Share of the input that could be read from the cache and was, over a whole run; and the usage as the wire told it. */
async function run({ steps, calls, options = {}, tail = false, thought = null }: Run) {
  let time = 0;
  const cache = promptCache({ now: () => time });
  let readable = 0;
  server = await wireServer(({ body }) => {
    time += 5000;
    const { usage, readableTokens } = cache.use(body);
    readable += readableTokens;
    return { text: 'ok', usage };
  });
  const open = () => anthropic({ model: 'm', apiKey: 'k', baseUrl: server?.url ?? '', environment: {}, ...options });
  let model = open();
  let messages: Message[] = [user('Do all of it.')];
  let read = 0;
  for (let number = 1; number <= steps; number++) {
    // Another process takes over.
    if (number === Math.floor(steps / 2)) {
      model = open();
      messages = structuredClone(messages);
    }
    const asked = request([...messages], { system, tools, tail: tail ? `Step ${number} of ${steps}.` : null });
    const { usage } = await answerOf(model, asked);
    read += usage.cacheReadTokens;
    messages.push(...step(number, calls, `anthropic/${options.model ?? 'm'}`, thought));
  }
  return { share: read / readable, readable };
}

describe('M5: the prompt cache', () => {
  it.each([
    { calls: 1, least: 0.97 },
    { calls: 3, least: 0.97 },
    { calls: 12, least: 0.95 },
    { calls: 40, least: 0.95 },
  ])(
    'is read for nearly all that could be, with $calls calls a step and nothing switched on',
    async ({ calls, least }) => {
      const { share, readable } = await run({ steps: 100, calls });
      expect(readable).toBeGreaterThan(500_000);
      expect(share).toBeGreaterThanOrEqual(least);
    },
  );

  it('is read beside a text that changes with each step, and with thoughts', async () => {
    expect((await run({ steps: 30, calls: 12, tail: true })).share).toBeGreaterThanOrEqual(0.95);
    await server?.close();
    const thinking = { steps: 30, calls: 12, options: { model: 'claude-opus-5-5' }, thought: 'Hm.' };
    expect((await run(thinking)).share).toBeGreaterThanOrEqual(0.95);
  });

  it('is neither written nor read when it is off', async () => {
    expect((await run({ steps: 5, calls: 3, options: { cache: 'off' } })).share).toBe(0);
  });

  it('is asked to keep an hour where that is wanted, all of it', async () => {
    const { share } = await run({ steps: 5, calls: 3, options: { cache: '1h' } });
    expect(share).toBeGreaterThanOrEqual(0.95);
    const marks = server?.requests.at(-1)?.raw.match(/"cache_control":\{[^}]*\}/g);
    expect(marks).toEqual(Array(4).fill('"cache_control":{"type":"ephemeral","ttl":"1h"}'));
  });
});

describe('M5: cache marks', () => {
  const make = (model: string) =>
    createBodyMaker({
      model,
      id: `anthropic/${model}`,
      isStreaming: true,
      parameters: {},
      cache: '5m',
      streamsCalls: false,
      takes: () => null,
    });
  const parse = (pieces: readonly Buffer[]) =>
    JSON.parse(Buffer.concat(pieces).toString('utf8')) as { [key: string]: unknown };

  it('of any conversation find all that the last request left to be found', () => {
    const grown = fc.oneof(
      fc.record({ kind: fc.constant('step' as const), calls: fc.integer({ min: 1, max: 60 }), thinks: fc.boolean() }),
      fc.record({ kind: fc.constant('turn' as const), inputs: fc.integer({ min: 1, max: 30 }) }),
    );
    fc.assert(
      fc.property(fc.constantFrom('m', 'claude-opus-5'), fc.array(grown), (name, growth) => {
        const body = make(name);
        const cache: PromptCache = promptCache({ minimumTokens: 1 });
        const messages: Message[] = [user('start')];
        const use = () => cache.use(parse(body(request([...messages], { system, tools, tail: 'volatile' }))));
        use();
        for (const [index, addition] of growth.entries()) {
          if (addition.kind === 'step') {
            messages.push(...step(index, addition.calls, `anthropic/${name}`, addition.thinks ? 'Hm.' : null));
          } else {
            messages.push(assistant([{ type: 'text', text: `answer ${index}` }], `anthropic/${name}`));
            for (let input = 0; input < addition.inputs; input++) messages.push(user(`question ${index}.${input}`));
          }
          const { usage, readableTokens } = use();
          expect(usage.cacheReadTokens).toBe(readableTokens);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('find what is left when a new turn takes the thoughts of the last one away', () => {
    const body = make('claude-haiku-4-5');
    const cache = promptCache({ minimumTokens: 1 });
    const turn = (number: number) => [
      user(`question ${number}`),
      ...step(number, 30, 'anthropic/claude-haiku-4-5', 'Hm.'),
    ];
    const messages: Message[] = [];
    const use = () => {
      const asked = parse(body(request([...messages], { system, tools })));
      // As the API does: only the thoughts of the turn that runs are part of the prompt.
      const list = asked.messages as { role: string; content: { type: string }[] }[];
      const begin = list.findLastIndex(
        ({ role, content }) => role === 'user' && content.every(({ type }) => type === 'text'),
      );
      for (const [index, message] of list.entries()) {
        if (index < begin) message.content = message.content.filter(({ type }) => type !== 'thinking');
      }
      return cache.use(asked);
    };
    for (let number = 1; number <= 4; number++) {
      const [question, ...rest] = turn(number);
      if (question === undefined) throw new Error('no question');
      messages.push(question);
      const { usage, readableTokens } = use();
      expect(usage.cacheReadTokens).toBe(readableTokens);
      messages.push(...rest);
      use();
      messages.push(assistant([{ type: 'text', text: `answer ${number}` }], 'anthropic/claude-haiku-4-5'));
    }
  });

  it('change nothing of what the provider compares', () => {
    const withMarks = make('m');
    const bare = createBodyMaker({
      model: 'm',
      id: 'anthropic/m',
      isStreaming: true,
      parameters: {},
      cache: 'off',
      streamsCalls: false,
      takes: () => null,
    });
    const messages: Message[] = [user('Grüße 👋')];
    for (let number = 1; number <= 5; number++) {
      const asked = request([...messages], { system, tools, tail: `step ${number}` });
      const text = Buffer.concat(withMarks(asked)).toString('utf8');
      expect(text.match(/cache_control/g)?.length).toBe(number === 1 ? 3 : 4);
      expect(text.replaceAll(',"cache_control":{"type":"ephemeral"}', '')).toBe(
        Buffer.concat(bare(asked)).toString('utf8'),
      );
      messages.push(...step(number, 2));
    }
  });
});
