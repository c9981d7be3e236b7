import type { Model, ModelEvent, ModelPart, ModelRequest } from '@pawl/engine';
import { PawlError, type Usage } from '@pawl/protocol';
import { readConversation } from './conversation.ts';
import { nextStep, type Step } from './plan.ts';
import { planFor, toolsFor } from './plans.ts';
import { understand } from './understand.ts';

const introduction = `I am Pawl's demo model: a small deterministic planner, not a language model. I need no key and no network, and I work on your real files with the real tools. I did not understand this one. What I can do:

- Find every TODO in this folder and write a report to TODO.md
- List the TypeScript files in src
- Count the lines of each file in src
- Summarise README.md
- Rename a.txt to b.txt
- Replace foo with bar in src
- Run npm test

For anything else, choose a language model, such as anthropic/<id> or openai-chat/<id>.`;

/**
 * The model `demo`: no network, no key, no cost. It understands a handful of plain requests and drives the tools
 * `read`, `write`, `edit`, `glob`, `grep` and `bash` to fulfil them, several at once where it can. Its token counts are
 * estimates (four characters a token).
 */
export function demo(): Model {
  return {
    id: 'demo',
    info: { contextTokens: 128_000, outputTokens: 4096, isPriceKnown: true },
    async *stream(request, signal) {
      const step = think(request);
      yield { type: 'usage', usage: estimate(request, []), costUsd: 0 };
      for (const text of step.say.match(/\S+\s*|\s+/g) ?? []) {
        yield* unlessCancelled(signal, { type: 'text', text });
      }
      for (const [index, { tool, input }] of step.calls.entries()) {
        const call = index + 1;
        yield* unlessCancelled(signal, { type: 'input', call, tool, text: JSON.stringify(input) });
        yield { type: 'input_complete', call, tool, input };
      }
      const content: ModelPart[] = [
        ...(step.say === '' ? [] : [{ type: 'text' as const, text: step.say }]),
        ...step.calls.map((call) => ({ type: 'tool_call' as const, ...call })),
      ];
      yield {
        type: 'finished',
        message: {
          content,
          stopReason: step.calls.length === 0 ? 'end' : 'tool_calls',
          usage: estimate(request, content),
          costUsd: 0,
        },
      };
    },
  };
}

/** The next step of the task that was last asked for; it depends on the conversation alone. */
export function think(request: ModelRequest): Step {
  const { asked, done } = readConversation(request);
  const task = understand(asked);
  if (task === null) return { say: introduction, calls: [] };
  const offered = new Set(request.tools.map(({ name }) => name));
  const missing = toolsFor(task).filter((tool) => !offered.has(tool));
  if (missing.length > 0) {
    const list = missing.map((tool) => `\`${tool}\``).join(' and ');
    return {
      say: `I would need the ${missing.length === 1 ? 'tool' : 'tools'} ${list} for this, which I am not offered here.`,
      calls: [],
    };
  }
  return nextStep(planFor(task), done);
}

function* unlessCancelled(signal: AbortSignal, event: ModelEvent): Generator<ModelEvent> {
  if (signal.aborted) throw new PawlError('cancelled', 'The call was cancelled.', { cause: signal.reason });
  yield event;
}

const charactersPerToken = 4;

function estimate(request: ModelRequest, content: readonly ModelPart[]): Usage {
  const tokens = (length: number) => Math.ceil(length / charactersPerToken);
  const messages = request.messages.reduce((sum, message) => sum + sizeOf(message), 0);
  return {
    inputTokens: tokens(request.system.length + messages + (request.tail?.length ?? 0)),
    outputTokens: tokens(JSON.stringify(content).length),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    cacheWriteHourTokens: 0,
    reasoningTokens: 0,
  };
}

function sizeOf(message: ModelRequest['messages'][number]): number {
  if (message.role === 'tool') return message.results.reduce((sum, { content }) => sum + content.length, 0);
  return message.content.reduce(
    (sum, part) => sum + ('text' in part ? part.text.length : JSON.stringify(part).length),
    0,
  );
}
