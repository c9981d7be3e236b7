import { describe, expect, it } from 'vitest';
import { createDecoder } from '../src/wires/openai-responses/stream.ts';
import { added, calling, completed, delta, done, incomplete, read } from './openai-responses-support.ts';

describe('E11: calls in an answer', () => {
  it('may be written at the same time', () => {
    const { message: answer, events } = read([
      added(0, calling('f')),
      added(1, calling('g')),
      delta(1, '{"x":', 'function_call_arguments'),
      delta(0, '{"x":1}', 'function_call_arguments'),
      delta(1, '2}', 'function_call_arguments'),
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"x":1}' },
      done(0, calling('f', '{"x":1}')),
      done(1, calling('g', '{"x":2}')),
      completed(),
    ]);
    expect(answer?.content).toEqual([
      { type: 'tool_call', tool: 'f', input: { x: 1 } },
      { type: 'tool_call', tool: 'g', input: { x: 2 } },
    ]);
    expect(events.filter(({ type }) => type === 'input_complete')).toHaveLength(2);
  });

  it.each([
    ['come only at the end', [done(0, calling('f', '{"x":1}'))]],
    ['are an object', [done(0, { ...calling('f'), arguments: { x: 1 } })]],
    [
      'are other than was streamed',
      [added(0, calling('f')), delta(0, '{"y"', 'function_call_arguments'), done(0, calling('f', '{"x":1}'))],
    ],
    ['were not said to be whole', [added(0, calling('f')), delta(0, '{"x":1}', 'function_call_arguments')]],
  ])('are read right when their arguments %s', (_kind, events) => {
    expect(read([...events, completed()]).message?.content).toEqual([
      { type: 'tool_call', tool: 'f', input: { x: 1 } },
    ]);
  });

  it('keep their raw text when they are no JSON object, and are none when they have no arguments', () => {
    expect(read([done(0, calling('f', '["x"')), completed()]).message?.content).toEqual([
      { type: 'tool_call', tool: 'f', input: {}, malformed: '["x"' },
    ]);
    expect(read([done(0, calling('f')), completed()]).message?.content).toEqual([
      { type: 'tool_call', tool: 'f', input: {} },
    ]);
  });

  it('that the output limit cut are dropped and named, and only they', () => {
    const whole = [done(0, calling('read', '{"path":"a"}')), added(1, calling('write'))];
    const cut = {
      stopReason: 'output_limit',
      cutCall: 'write',
      content: [{ type: 'tool_call', tool: 'read', input: { path: 'a' } }],
    };
    const half = '{"path":"b","content":"lon';
    expect(
      read([
        ...whole,
        delta(1, half, 'function_call_arguments'),
        done(1, calling('write', half)),
        incomplete('max_output_tokens'),
      ]).message,
    ).toMatchObject(cut);
    expect(read([...whole, incomplete('max_output_tokens')]).message).toMatchObject(cut);
  });

  it('of tools that the provider runs itself are passed over', () => {
    const { message: answer, events } = read([
      done(0, { type: 'custom_tool_call', name: 'sql', input: 'SELECT' }),
      { type: 'response.custom_tool_call_input.delta', output_index: 0, delta: 'SELECT' },
      done(1, { type: 'mcp_call', name: 'x', arguments: '{}' }),
      completed(),
    ]);
    expect(answer).toMatchObject({ content: [], stopReason: 'end' });
    expect(events).toEqual([]);
  });
});

describe('E10: a wrapper of parallel calls', () => {
  const uses = (...calls: [string, unknown][]) =>
    JSON.stringify({ tool_uses: calls.map(([recipient_name, parameters]) => ({ recipient_name, parameters })) });
  const two = uses(['functions.read', { path: 'a' }], ['functions.list', {}]);

  it.each(['parallel', 'multi_tool_use.parallel', 'multi_tool_use_parallel'])('named %s is the calls in it', (name) => {
    const { message: answer, events } = read([
      added(0, calling(name)),
      delta(0, two.slice(0, 30), 'function_call_arguments'),
      delta(0, two.slice(30), 'function_call_arguments'),
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: two },
      done(0, calling(name, two)),
      completed(),
    ]);
    expect(answer?.content).toEqual([
      { type: 'tool_call', tool: 'read', input: { path: 'a' } },
      { type: 'tool_call', tool: 'list', input: {} },
    ]);
    expect(events.map((event) => ('call' in event ? [event.type, event.call, event.tool] : event.type))).toEqual([
      ['input', 1, 'read'],
      ['input_complete', 1, 'read'],
      ['input', 2, 'list'],
      ['input_complete', 2, 'list'],
    ]);
  });

  it('is a call like any other where a tool of that name was offered', () => {
    const decoder = createDecoder(
      () => {},
      () => null,
      new Set(['parallel']),
    );
    decoder.read(JSON.stringify(done(0, calling('parallel', two))));
    decoder.read(JSON.stringify(completed()));
    expect(decoder.finish().content).toEqual([
      { type: 'tool_call', tool: 'parallel', input: JSON.parse(two) as object },
    ]);
  });

  it.each(['{"tool_uses":[]}', '{"tool_uses":[{"parameters":{}}]}', '{"x":1}'])(
    'that holds no calls (%s) stays what it is',
    (text) => {
      expect(read([done(0, calling('parallel', text)), completed()]).message?.content).toEqual([
        { type: 'tool_call', tool: 'parallel', input: JSON.parse(text) as object },
      ]);
    },
  );

  it('that the output limit cut is dropped and named', () => {
    const events = [added(0, calling('parallel')), delta(0, two.slice(0, 30), 'function_call_arguments')];
    expect(read([...events, incomplete('max_output_tokens')]).message).toMatchObject({
      content: [],
      cutCall: 'parallel',
    });
    expect(read([...events, completed()]).message?.content).toMatchObject([
      { tool: 'parallel', malformed: two.slice(0, 30) },
    ]);
  });
});
