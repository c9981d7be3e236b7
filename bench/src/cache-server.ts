/**
 * A model server that keeps prompts as a provider does by its published rules, and answers with several calls a step.
 * It serves one run after another, in the process of whoever asks.
 */
import { createServer, type IncomingMessage } from 'node:http';
import { type PromptCache, promptCache } from '../../packages/models/src/testing/index.ts';
import { finalText, toolName, toolText } from './answers.ts';

/** Tokens of a whole run, and what became of them. */
export type CacheTotals = {
  requests: number;
  inputTokens: number;
  readTokens: number;
  writtenTokens: number;
  /** What could have been read. */
  readableTokens: number;
};

export type CacheServer = {
  /** Without a path. */
  url: string;
  /** Forgets all prompts and counts anew, for a run of so many steps with so many calls each. */
  begin(steps: number, calls: number): void;
  totals(): CacheTotals;
  stop(): Promise<void>;
};

/** A result that is worth keeping: some hundred tokens. */
const padding = 'A line that a tool might print.\n'.repeat(12);

const nothing = (): CacheTotals => ({
  requests: 0,
  inputTokens: 0,
  readTokens: 0,
  writtenTokens: 0,
  readableTokens: 0,
});

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

type Event = { type: string; [key: string]: unknown };

const answer = (step: number | null, calls: number, usage: object): string => {
  const blocks: Event[][] =
    step === null
      ? [
          [
            { type: 'content_block_start', content_block: { type: 'text', text: '' } },
            { type: 'content_block_delta', delta: { type: 'text_delta', text: finalText } },
          ],
        ]
      : Array.from({ length: calls }, (_, call) => [
          {
            type: 'content_block_start',
            content_block: { type: 'tool_use', id: `toolu_${step}_${call}`, name: toolName, input: {} },
          },
          {
            type: 'content_block_delta',
            delta: {
              type: 'input_json_delta',
              partial_json: JSON.stringify({ text: `${toolText(step)}.${call}\n${padding}` }),
            },
          },
        ]);
  const events: Event[] = [
    {
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
    },
    ...blocks.flatMap((events, index) =>
      [...events, { type: 'content_block_stop' }].map((event) => ({ ...event, index })),
    ),
    {
      type: 'message_delta',
      delta: { stop_reason: step === null ? 'end_turn' : 'tool_use', stop_sequence: null },
      usage: { output_tokens: 60 },
    },
    { type: 'message_stop' },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
};

export const startCacheServer = async (): Promise<CacheServer> => {
  let cache: PromptCache = promptCache();
  let totals = nothing();
  let plan = { steps: 0, calls: 0 };

  const server = createServer((request, response) => {
    const handle = async () => {
      const body = await bodyOf(request);
      const { usage, readableTokens } = cache.use(JSON.parse(body));
      const { inputTokens, cacheReadTokens, cacheWriteTokens, cacheWriteHourTokens } = usage;
      const writtenTokens = cacheWriteTokens + cacheWriteHourTokens;
      totals.requests++;
      totals.inputTokens += inputTokens + cacheReadTokens + writtenTokens;
      totals.readTokens += cacheReadTokens;
      totals.writtenTokens += writtenTokens;
      totals.readableTokens += readableTokens;
      const step = totals.requests > plan.steps ? null : totals.requests;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(
        answer(step, plan.calls, {
          input_tokens: inputTokens,
          cache_read_input_tokens: cacheReadTokens,
          cache_creation_input_tokens: writtenTokens,
        }),
      );
    };
    handle().catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    begin(steps, calls) {
      cache = promptCache();
      totals = nothing();
      plan = { steps, calls };
    },
    totals: () => totals,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
