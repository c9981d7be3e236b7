import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Model, ModelEvent, ModelMessage, ModelRequest } from '@pawl/engine';
import type { AssistantPart, Message, ToolStatus, Usage } from '@pawl/protocol';

export const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};

const never = new AbortController().signal;

export function request(messages: readonly Message[], more: Partial<ModelRequest> = {}): ModelRequest {
  return { session: 's', model: 'm', system: '', tools: [], messages, tail: null, maxOutputTokens: 1000, ...more };
}

export function user(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }], source: 'input' };
}

export function assistant(content: AssistantPart[], model = 'anthropic/m'): Message {
  return { role: 'assistant', content, model, stopReason: 'end', usage: noUsage, costUsd: null };
}

export function results(...list: { call: string; tool: string; content: string; status?: ToolStatus }[]): Message {
  return { role: 'tool', results: list.map((result) => ({ status: 'ok' as const, ...result })) };
}

/** All that one call brought. */
export async function call(model: Model, asked: ModelRequest, signal: AbortSignal = never): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, signal)) events.push(event);
  return events;
}

/** Events without the counts that come on the way. */
export function uncounted(events: readonly ModelEvent[]): ModelEvent[] {
  return events.filter(({ type }) => type !== 'usage');
}

/** The whole answer of one call. */
export async function answerOf(model: Model, asked: ModelRequest, signal?: AbortSignal): Promise<ModelMessage> {
  const last = (await call(model, asked, signal)).at(-1);
  if (last?.type !== 'finished') throw new Error(`The last event is ${last?.type}.`);
  return last.message;
}

/** What a promise is rejected with. */
export async function thrownBy(promise: PromiseLike<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('Nothing was thrown.');
}

/** A folder for one test, and how to remove it. */
export async function temporaryFolder(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'pawl-models-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
