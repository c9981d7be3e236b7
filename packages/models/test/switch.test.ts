import type { ModelMessage } from '@pawl/engine';
import { afterEach, describe, expect, it } from 'vitest';
import { pool } from '../src/index.ts';
import { type WireRequest, wireServer } from '../src/testing/index.ts';
import { anthropic } from '../src/wires/anthropic/index.ts';
import { google } from '../src/wires/google/index.ts';
import { openaiChat } from '../src/wires/openai-chat/index.ts';
import { openai } from '../src/wires/openai-responses/index.ts';
import { answerOf, assistant, request, results, user } from './support.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const wires = { anthropic, openai, openaiChat, google };
type Wire = keyof typeof wires;
const names = Object.keys(wires) as Wire[];
const pairs = names.flatMap((one) => names.map((other): [Wire, Wire] => [one, other]));

/** All that only the model that gave it can read. */
function signaturesOf({ content }: ModelMessage): string[] {
  return content.flatMap((part) => {
    const opaque = part.type === 'thinking' ? part.opaque : undefined;
    return [part.signature ?? '', opaque ?? ''].filter((text) => text !== '');
  });
}

describe('scenario 22: a model switch in mid-thinking', () => {
  it.each(pairs)('from %s to %s sends no signature and no thought of the other model', async (from, to) => {
    let asked = 0;
    const server = await wireServer(({ model }: WireRequest) => {
      if (model === 'two') return { text: 'Two answers.' };
      if (asked++ === 0) return { thinking: 'A first thought.', calls: [{ tool: 'look', input: {} }] };
      // The thought is longer than what comes of it.
      return { thinking: 'A second thought. '.repeat(200), text: 'No more.', cut: { atByte: 2000, how: 'break' } };
    });
    closing.push(() => server.close());
    const open = (wire: Wire, model: string) =>
      wires[wire]({
        model,
        apiKey: 'test-key',
        baseUrl: wire.startsWith('openai') ? `${server.url}/v1` : server.url,
        environment: {},
      });
    const models = pool([open(from, 'one'), open(to, 'two')]);
    const question = user('Look.');
    const first = await answerOf(models, request([question]));
    const said = first.content.map((part) => (part.type === 'tool_call' ? { ...part, id: 'c1' } : part));
    const history = [
      question,
      assistant(said, open(from, 'one').id),
      results({ call: 'c1', tool: 'look', content: 'Seen.' }),
    ];
    const second = await answerOf(models, request(history));
    expect(second).toMatchObject({ model: open(to, 'two').id, attempts: [{ model: open(from, 'one').id }] });

    const [, own, other] = server.requests.map(({ body }) => JSON.stringify(body));
    const signatures = signaturesOf(first);
    expect(signatures.length).toBeGreaterThan(0);
    expect(signatures.some((signature) => own?.includes(JSON.stringify(signature).slice(1, -1)))).toBe(true);
    for (const signature of signatures) expect(other).not.toContain(JSON.stringify(signature).slice(1, -1));
    expect(other).not.toContain('thought.');
  });
});
