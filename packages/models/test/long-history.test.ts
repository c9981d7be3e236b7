import type { Message } from '@pawl/protocol';
import { expect, it } from 'vitest';
import { createBodyMaker } from '../src/wires/anthropic/body.ts';
import { assistant, request, results, user } from './support.ts';

it('X5: the body for a history of 2000 messages takes less than a millisecond beyond what was added', () => {
  const makeBody = createBodyMaker({
    model: 'm',
    id: 'anthropic/m',
    isStreaming: true,
    parameters: {},
    cache: '5m',
    streamsCalls: false,
    takes: () => null,
  });
  const messages: Message[] = [user('Begin.')];
  const addStep = () => {
    const id = `c${messages.length}`;
    messages.push(assistant([{ type: 'tool_call', id, tool: 'read', input: { path: 'a.txt' } }]));
    messages.push(results({ call: id, tool: 'read', content: 'A line of text. '.repeat(60) }));
  };
  while (messages.length < 2001) addStep();
  const lengthOf = () => makeBody(request(messages.slice())).reduce((sum, piece) => sum + piece.length, 0);
  const whole = lengthOf();
  const times: number[] = [];
  for (let round = 0; round < 51; round++) {
    addStep();
    const begun = performance.now();
    expect(lengthOf()).toBeGreaterThan(whole);
    times.push(performance.now() - begun);
  }
  const medianMs = times.sort((one, other) => one - other)[25] ?? 0;
  console.info(`the body of one more step, after 2000 messages: ${medianMs.toFixed(3)} ms`);
  expect(medianMs).toBeLessThan(1);
});
