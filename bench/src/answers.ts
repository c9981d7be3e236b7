/**
 * What the local server answers, as finished bytes: the server's own cost must not blur what it measures.
 * Shapes are those that the providers send (https://docs.anthropic.com/en/api/messages-streaming,
 * https://platform.openai.com/docs/api-reference/chat/streaming).
 */

/** One way of speaking to a model over HTTP. */
export type Wire = 'anthropic' | 'openai-chat';

/** What stands in a request body exactly once for every tool result in it. */
export const resultMarker: { [wire in Wire]: string } = {
  anthropic: '"tool_result"',
  'openai-chat': '"role":"tool"',
};

/** The text of one delta; about a token. */
const deltaText = (index: number) => ` word${index % 10}`;

/** The one delta of the answer that ends a run. */
export const finalText = 'Done.';

/** The tool that every answer but the last one calls, and the text it is to give back. */
export const toolName = 'echo';
export const toolText = (step: number) => `step ${step}`;

/**
 * A whole answer in the body's chunked transfer coding, each server-sent event a chunk of its own, as providers
 * send them. `step` counts from 1; `null` is the answer that ends the run.
 */
export const renderAnswer = (wire: Wire, step: number | null, deltas: number): Buffer[] => {
  const events = wire === 'anthropic' ? anthropicEvents(step, deltas) : openaiChatEvents(step, deltas);
  return events.map((event) => {
    const bytes = Buffer.from(event);
    return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  });
};

/** The empty chunk that ends a body. */
export const lastChunk = Buffer.from('0\r\n\r\n');

const texts = (step: number | null, deltas: number) =>
  step === null ? [finalText] : Array.from({ length: deltas }, (_, index) => deltaText(index));

const anthropicEvents = (step: number | null, deltas: number): string[] => {
  const event = (data: { type: string; [key: string]: unknown }) =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 60 };
  const text = [
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'ping' }),
    ...texts(step, deltas).map((piece) =>
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } }),
    ),
    event({ type: 'content_block_stop', index: 0 }),
  ];
  const call =
    step === null
      ? []
      : [
          event({
            type: 'content_block_start',
            index: 1,
            content_block: { type: 'tool_use', id: `toolu_${step}`, name: toolName, input: {} },
          }),
          ...['', '{"text":', ` "${toolText(step)}"}`].map((piece) =>
            event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: piece } }),
          ),
          event({ type: 'content_block_stop', index: 1 }),
        ];
  return [
    event({
      type: 'message_start',
      message: {
        id: `msg_${step ?? 'last'}`,
        type: 'message',
        role: 'assistant',
        model: 'bench',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    }),
    ...text,
    ...call,
    event({
      type: 'message_delta',
      delta: { stop_reason: step === null ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage,
    }),
    event({ type: 'message_stop' }),
  ];
};

const openaiChatEvents = (step: number | null, deltas: number): string[] => {
  const chunk = (rest: object) =>
    `data: ${JSON.stringify({ id: `chatcmpl-${step ?? 'last'}`, object: 'chat.completion.chunk', created: 1_770_774_064, model: 'bench', ...rest })}\n\n`;
  const choice = (delta: object, reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] });
  const call = (piece: object) => choice({ tool_calls: [{ index: 0, ...piece }] });
  return [
    choice({ role: 'assistant', content: '' }),
    ...texts(step, deltas).map((piece) => choice({ content: piece })),
    ...(step === null
      ? []
      : [
          call({ id: `call_${step}`, type: 'function', function: { name: toolName, arguments: '' } }),
          call({ function: { arguments: '{"text":' } }),
          call({ function: { arguments: ` "${toolText(step)}"}` } }),
        ]),
    choice({}, step === null ? 'stop' : 'tool_calls'),
    chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 60, total_tokens: 160 } }),
    'data: [DONE]\n\n',
  ];
};
