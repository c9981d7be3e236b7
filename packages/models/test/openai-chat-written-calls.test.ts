import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { openaiChat } from '../src/index.ts';
import { type WireServer, wireServer } from '../src/testing/index.ts';
import { dialectOf } from '../src/wires/openai-chat/dialects.ts';
import { writtenCalls } from '../src/wires/openai-chat/written-calls.ts';
import { answerOf, call, request, user } from './support.ts';

let server: WireServer | undefined;
afterEach(() => server?.close());

const offered = new Set(['read', 'list', 'fs.read-all']);
const read = { tool: 'read', input: { path: 'a.txt', line: 3 } };
const json = '{"path": "a.txt", "line": 3}';
const fence = '```';

describe('M3: calls that a model writes as text', () => {
  it.each([
    ['Hermes', `<tool_call>\n{"name": "read", "arguments": ${json}}\n</tool_call>`],
    ['Hermes with arguments as a text', `<tool_call>{"name":"read","arguments":${JSON.stringify(json)}}</tool_call>`],
    ['Hermes without its end', `<tool_call>{"name": "read", "arguments": ${json}}`],
    ['Hermes with parameters', `<tool_call>{"name": "read", "parameters": ${json}}</tool_call>`],
    [
      'OpenAI’s own form in tags',
      `<tool_calls>[{"type":"function","function":{"name":"read","arguments":${json}}}]</tool_calls>`,
    ],
    ['Llama', `<function=read>${json}</function>`],
    [
      'Qwen Coder',
      '<tool_call>\n<function=read>\n<parameter=path>\na.txt\n</parameter>\n<parameter=line>\n3\n</parameter>\n</function>\n</tool_call>',
    ],
    [
      'Qwen Coder without its frame',
      '<function=read><parameter=path>a.txt</parameter><parameter=line>3</parameter></function>',
    ],
    [
      'GLM',
      '<tool_call>read\n<arg_key>path</arg_key>\n<arg_value>a.txt</arg_value>\n<arg_key>line</arg_key>\n<arg_value>3</arg_value>\n</tool_call>',
    ],
    [
      'Claude of old',
      '<function_calls>\n<invoke name="read">\n<parameter name="path">a.txt</parameter>\n<parameter name="line">3</parameter>\n</invoke>\n</function_calls>',
    ],
    [
      'MiniMax',
      '<minimax:tool_call>\n<invoke name="read">\n<parameter name="path">a.txt</parameter>\n<parameter name="line">3</parameter>\n</invoke>\n</minimax:tool_call>',
    ],
    [
      'DeepSeek, newest',
      '<｜DSML｜function_calls>\n<｜DSML｜invoke name="read">\n<｜DSML｜parameter name="path" string="true">a.txt</｜DSML｜parameter>\n<｜DSML｜parameter name="line" string="false">3</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>',
    ],
    [
      'DeepSeek',
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>${json}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    ],
    [
      'DeepSeek, older',
      `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n${fence}json\n${json}\n${fence}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
    ],
    [
      'Kimi',
      `<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>${json}<|tool_call_end|><|tool_calls_section_end|>`,
    ],
    ['Mistral', `[TOOL_CALLS]read[ARGS]${json}`],
    ['Mistral, older', `[TOOL_CALLS] [{"name": "read", "arguments": ${json}}]`],
  ])('are recognised: %s', (_form, markup) => {
    expect(writtenCalls(markup, offered)).toEqual({ calls: [read], rest: '', cutTool: null });
    expect(writtenCalls(`I look.\n\n${markup}`, offered)).toEqual({ calls: [read], rest: 'I look.', cutTool: null });
  });

  it('may be several, in their order', () => {
    const one = (path: string) => `<tool_call>{"name":"read","arguments":{"path":"${path}"}}</tool_call>`;
    const { calls, rest } = writtenCalls(`First, then:\n${one('a')}\n${one('b')}\n</tool_calls>\n`, offered);
    expect(calls.map(({ input }) => input.path)).toEqual(['a', 'b']);
    expect(rest).toBe('First, then:');
    const lines = `<tool_call>{"name":"read","arguments":{"path":"a"}}\n{"name":"list"}</tool_call>`;
    expect(writtenCalls(lines, offered).calls).toEqual([
      { tool: 'read', input: { path: 'a' } },
      { tool: 'list', input: {} },
    ]);
    const mistral = `[TOOL_CALLS]read[ARGS]{"path":"a"}[TOOL_CALLS]fs.read-all[ARGS]{}`;
    expect(writtenCalls(mistral, offered).calls.map(({ tool }) => tool)).toEqual(['read', 'fs.read-all']);
  });

  it.each([
    ['of a tool that was not offered', '<tool_call>{"name":"write","arguments":{}}</tool_call>'],
    ['whose arguments are no object', '<tool_call>{"name":"read","arguments":[1]}</tool_call>'],
    ['whose JSON is cut', '<tool_call>{"name":"read","arguments":{"path":'],
    ['in a fence of code', `So:\n${fence}\n<tool_call>{"name":"read","arguments":{}}</tool_call>\n${fence}\n`],
    ['between backticks', 'Write `<tool_call>{"name":"read","arguments":{}}</tool_call>` to call.'],
    ['that other words follow', 'It writes <tool_call>{"name":"read","arguments":{}}</tool_call> for a call.'],
    ['whose last value lacks its end', '<function=read><parameter=path>\na.txt\nand so'],
    ['that is only spoken of', 'The tag <tool_call> begins a call, as <function=read> does.'],
  ])('are none, and stay as they are, if it is one %s', (_why, text) => {
    expect(writtenCalls(text, offered)).toEqual({ calls: [], rest: text, cutTool: null });
  });

  const path = '<parameter=path>\na.txt\n</parameter>';
  it.each([
    ['in a value', `<tool_call>\n<function=read>\n${path}\n<parameter=note>\nhalf a no`],
    ['between values', `<tool_call>\n<function=read>\n${path}\n`],
    ['after its function', `<tool_call>\n<function=read>\n${path}\n</function>\n`],
    ['after the name', '<function=read>\n'],
    [
      'after a call that a value quotes',
      `<tool_call><function=read>${path}<parameter=note><function=list>{}</function>`,
    ],
    [
      'after one with values that a value quotes',
      '<function=read><parameter=note>as <function=list><parameter=all>1</parameter></function>',
    ],
    ['in JSON', `<tool_call>\n{"name": "read", "arguments": {"path": "a`],
    ['after JSON', `<tool_call>\n{"name": "read", "arguments": ${json}}`],
    ['in an object of objects', '<tool_calls>[{"type":"function","function":{"name":"read","argu'],
    ['in a pair', '<tool_call>read<arg_key>path</arg_key><arg_value>a</arg_value><arg_key>line</arg_key><arg_value>1'],
    ['in an invoke', '<function_calls>\n<invoke name="read">\n<parameter name="path">a.t'],
    ['in DeepSeek’s', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path"'],
    ['in Kimi’s', '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"pa'],
    ['in Mistral’s', '[TOOL_CALLS]read[ARGS]{"path": "a'],
  ])('are none if the output limit cut them %s; the tool is known, and whole ones stay', (_where, markup) => {
    expect(writtenCalls(markup, offered, true)).toMatchObject({ calls: [], cutTool: 'read' });
    const whole = '<tool_call>{"name":"list","arguments":{}}</tool_call>';
    expect(writtenCalls(`I look.\n${whole}\n${markup}`, offered, true)).toMatchObject({
      calls: [{ tool: 'list', input: {} }],
      cutTool: 'read',
    });
    expect(writtenCalls(`I look.\n${whole}`, offered, true)).toEqual({
      calls: [{ tool: 'list', input: {} }],
      rest: 'I look.',
      cutTool: null,
    });
  });

  it('that a cut text only speaks of are none', () => {
    const text = 'The tag <tool_call> begins a call, as <function=read> does, and `<function=read>{}` is an exam';
    expect(writtenCalls(text, offered, true)).toEqual({ calls: [], rest: text, cutTool: null });
  });

  it('never fail, nor take long, whatever the text is', () => {
    const piece = fc.constantFrom(
      '<tool_call>',
      '</tool_call>',
      '<function=read>',
      '</function>',
      '<invoke name="read">',
      '</invoke>',
      '<parameter name="a">',
      '<｜tool▁call▁begin｜>read<｜tool▁sep｜>',
      '[TOOL_CALLS]',
      'read[ARGS]',
      '{"name":"read"}',
      '{',
      '}',
      '[',
      '`',
      '\n```\n',
      ' ',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece), fc.nat(20), (pieces, times) => {
        const text = pieces.join('').repeat(times);
        return [true, false].every((isCut) => {
          const { calls, cutTool } = writtenCalls(text, offered, isCut);
          return calls.every(({ tool }) => offered.has(tool)) && (cutTool === null || (isCut && offered.has(cutTool)));
        });
      }),
      { numRuns: 3000 },
    );
  });

  it.each(['thinking', 'text'] as const)(
    'become calls of the answer, in its %s, if it has no others',
    async (place) => {
      const markup = '<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>';
      server = await wireServer([
        { [place]: `So. ${markup}` },
        { [place]: markup, calls: [{ tool: 'read', input: { path: 'real' } }] },
      ]);
      const model = openaiChat({ model: 'm', baseUrl: server.url, environment: {} });
      const asked = request([user('?')], { tools: [{ name: 'read', description: '', inputSchema: {} }] });
      const events = await call(model, asked);
      expect(events.at(-1)).toMatchObject({
        type: 'finished',
        message: {
          content: [
            { type: place, text: 'So.' },
            { type: 'tool_call', tool: 'read', input: { path: 'a' } },
          ],
          stopReason: 'tool_calls',
        },
      });
      expect(events.at(-2)).toEqual({ type: 'input_complete', call: 1, tool: 'read', input: { path: 'a' } });
      const second = (await call(model, asked)).at(-1);
      expect(second).toMatchObject({
        message: {
          content: [
            { type: place, text: markup },
            { type: 'tool_call', input: { path: 'real' } },
          ],
        },
      });
    },
  );

  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const asked = request([user('?')], { tools: [{ name: 'read', description: '', inputSchema: {} }] });
  const written = '<tool_call>{"name":"read","arguments":{"path":"a"}}</tool_call>';

  it('are named, and not made, where the output limit cut them', async () => {
    const half = '<tool_call>\n<function=read>\n<parameter=path>\na.txt\n</parameter>\n<parameter=note>\nhal';
    server = await wireServer([
      { body: `${chunk({ content: `So.\n${half}` })}${chunk({}, 'length')}data: [DONE]\n\n` },
    ]);
    const message = await answerOf(openaiChat({ model: 'm', baseUrl: server.url, environment: {} }), asked);
    expect(message).toMatchObject({
      content: [{ type: 'text', text: 'So.' }],
      stopReason: 'output_limit',
      cutCall: 'read',
    });
    expect(message.content).toHaveLength(1);
  });

  it('are none in thoughts that an answer follows', async () => {
    const thought = `I could do this: ${written}`;
    server = await wireServer([{ thinking: thought, text: 'Shall I?' }]);
    const message = await answerOf(openaiChat({ model: 'm', baseUrl: server.url, environment: {} }), asked);
    expect(message).toMatchObject({
      content: [
        { type: 'thinking', text: thought },
        { type: 'text', text: 'Shall I?' },
      ],
      stopReason: 'end',
    });
  });

  it.each([
    ['api.openai.com', false],
    ['pawl.openai.azure.com', false],
    ['api.groq.com', false],
    ['api.mistral.ai', false],
    ['api.x.ai', false],
    ['openrouter.ai', false],
    ['router.huggingface.co', true],
    ['127.0.0.1', true],
    ['notgroq.com', true],
  ])('are looked for only where the server may have left them: at %s, %j', async (host, isLookedFor) => {
    expect(dialectOf(host, 'm').leavesCallsInText).toBe(isLookedFor);
    server = await wireServer([{ text: written }]);
    const dialect = { leavesCallsInText: isLookedFor };
    const message = await answerOf(openaiChat({ model: 'm', baseUrl: server.url, environment: {}, dialect }), asked);
    expect(message.stopReason).toBe(isLookedFor ? 'tool_calls' : 'end');
  });
});
