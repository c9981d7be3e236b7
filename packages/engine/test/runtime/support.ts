/** A model and tools that do what a test says, and ways to wait for what a session does. */
import type { DurableEvent, EventType, JsonObject, PawlEvent, SessionClient } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import type { Clock, HostOptions, Model, ModelEvent, ModelPart, ModelRequest, Tool } from '../../src/index.ts';
import { createHost } from '../../src/index.ts';

export const usage = {
  inputTokens: 100,
  outputTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};

/** A clock whose waits are over at once. */
export const hastyClock: Clock = {
  now: () => Date.now(),
  at(_, call) {
    const timer = setImmediate(call);
    return () => clearImmediate(timer);
  },
};

type Call = { tool: string; input?: JsonObject };
export type Answer = string | Call[] | ((request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>);

export function finished(content: ModelPart[]): ModelEvent {
  const stopReason = content.some((part) => part.type === 'tool_call') ? 'tool_calls' : 'end';
  return { type: 'finished', message: { content, stopReason, usage, costUsd: 0.01 } };
}

/** Answers in turn; after the last one, always "Done.". */
export function fakeModel(...answers: Answer[]): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    id: 'fake/model',
    info: { contextTokens: 10_000, outputTokens: 1000, isPriceKnown: true },
    requests,
    async *stream(request, signal) {
      const answer = answers[requests.length] ?? 'Done.';
      requests.push(request);
      if (typeof answer === 'function') {
        yield* answer(request, signal);
      } else if (typeof answer === 'string') {
        yield { type: 'text', text: answer };
        yield finished([{ type: 'text', text: answer }]);
      } else {
        yield finished(answer.map(({ tool, input = {} }) => ({ type: 'tool_call', tool, input })));
      }
    },
  };
}

export function fakeTool(name: string, run: Tool['run'], more: Partial<Tool> = {}): Tool {
  return { name, description: name, input: { type: 'object' }, effect: 'read', run, ...more };
}

export const echo = fakeTool('echo', async (input) => ({ content: JSON.stringify(input) }));

export function fakeHost(model: Model, options: Partial<HostOptions> = {}) {
  return createHost({ log: memoryLog(), model, tools: [echo], ...options });
}

/** Does the first, gives the second. */
export function giving<Value>(_done: unknown, value: Value): Value {
  return value;
}

/** The events of one input, until its turn has ended. */
export async function collect(events: AsyncIterable<PawlEvent>): Promise<PawlEvent[]> {
  const all: PawlEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

export const isDurable = (event: PawlEvent): event is DurableEvent => 'seq' in event;
export const typesOf = (events: readonly PawlEvent[]) => events.filter(isDurable).map((event) => event.type);

export function ofType<Type extends EventType>(events: readonly PawlEvent[], type: Type) {
  return events.filter((event): event is DurableEvent & { type: Type } => event.type === type);
}

/** Resolves with the first event of a type after the subscription, or of those already there. */
export async function eventOf<Type extends PawlEvent['type']>(
  session: SessionClient,
  type: Type,
): Promise<Extract<PawlEvent, { type: Type }>> {
  for await (const event of session.events({ seq: 0 })) {
    if (event.type === type) return event as Extract<PawlEvent, { type: Type }>;
  }
  throw new Error(`The session ended without ${type}.`);
}

/** A promise with its handles, for tests that decide the order of things. */
export function gate<Value = void>() {
  return Promise.withResolvers<Value>();
}
