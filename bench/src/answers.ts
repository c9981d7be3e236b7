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

/** What an answer says, in its order: text in pieces, or a call of the tool with this text. */
export type Block = { id: string; pieces: readonly string[] } | { id: string; call: string };

/** The blocks of a step's answer, which counts from 1; `null` is the answer that ends the run. */
const blocksOf = (step: number | null, deltas: number): Block[] =>
  step === null
    ? [{ id: 'last', pieces: [finalText] }]
    : [
        { id: `text_${step}`, pieces: Array.from({ length: deltas }, (_, index) => deltaText(index)) },
        { id: `toolu_${step}`, call: toolText(step) },
      ];

/** The blocks of an answer that begins with calls and goes on with a long text. */
export const callsFirst = (calls: number, deltas: number): Block[] => [
  ...Array.from({ length: calls }, (_, index) => ({ id: `toolu_${index + 1}`, call: toolText(index + 1) })),
  { id: 'text', pieces: Array.from({ length: deltas }, (_, index) => deltaText(index)) },
];

/** A whole answer: see `renderBlocks`. */
export const renderAnswer = (wire: Wire, step: number | null, deltas: number): Buffer[] =>
  renderBlocks(wire, `msg_${step ?? 'last'}`, blocksOf(step, deltas));

/** An answer in the body's chunked transfer coding, each server-sent event a chunk of its own, as providers send them. */
export const renderBlocks = (wire: Wire, id: string, blocks: readonly Block[]): Buffer[] => {
  const events = wire === 'anthropic' ? anthropicEvents(id, blocks) : openaiChatEvents(id, blocks);
  return events.map((event) => {
    const bytes = Buffer.from(event);
    return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
  });
};

/** The empty chunk that ends a body. */
export const lastChunk = Buffer.from('0\r\n\r\n');

/** The arguments of a call, as providers cut them. */
const argumentsOf = (text: string) => ['{"text":', ` "${text}"}`];

const hasCalls = (blocks: readonly Block[]) => blocks.some((block) => 'call' in block);

const anthropicEvents = (id: string, blocks: readonly Block[]): string[] => {
  const event = (data: { type: string; [key: string]: unknown }) =>
    `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
  const usage = { input_tokens: 100, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 60 };
  const start = {
    id,
    type: 'message',
    role: 'assistant',
    model: 'bench',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  const events = blocks.flatMap((block, index) => {
    const begin = (content: object) => event({ type: 'content_block_start', index, content_block: content });
    const delta = (content: object) => event({ type: 'content_block_delta', index, delta: content });
    const end = event({ type: 'content_block_stop', index });
    if ('pieces' in block) {
      const texts = block.pieces.map((text) => delta({ type: 'text_delta', text }));
      return [begin({ type: 'text', text: '' }), event({ type: 'ping' }), ...texts, end];
    }
    const input = ['', ...argumentsOf(block.call)].map((piece) =>
      delta({ type: 'input_json_delta', partial_json: piece }),
    );
    return [begin({ type: 'tool_use', id: block.id, name: toolName, input: {} }), ...input, end];
  });
  const stop = { stop_reason: hasCalls(blocks) ? 'tool_use' : 'end_turn', stop_sequence: null };
  return [
    event({ type: 'message_start', message: start }),
    ...events,
    event({ type: 'message_delta', delta: stop, usage }),
    event({ type: 'message_stop' }),
  ];
};

const openaiChatEvents = (id: string, blocks: readonly Block[]): string[] => {
  const chunk = (rest: object) =>
    `data: ${JSON.stringify({ id, object: 'chat.completion.chunk', created: 1_770_774_064, model: 'bench', ...rest })}\n\n`;
  const choice = (delta: object, reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] });
  let calls = 0;
  const events = blocks.flatMap((block) => {
    if ('pieces' in block) return block.pieces.map((content) => choice({ content }));
    const index = calls++;
    const call = (piece: object) => choice({ tool_calls: [{ index, ...piece }] });
    return [
      call({ id: block.id, type: 'function', function: { name: toolName, arguments: '' } }),
      ...argumentsOf(block.call).map((piece) => call({ function: { arguments: piece } })),
    ];
  });
  return [
    choice({ role: 'assistant', content: '' }),
    ...events,
    choice({}, hasCalls(blocks) ? 'tool_calls' : 'stop'),
    chunk({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 60, total_tokens: 160 } }),
    'data: [DONE]\n\n',
  ];
};
