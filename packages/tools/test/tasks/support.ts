/** A tree of sessions on one host, whose model answers each session by what the test says of it. */
import type { Clock, Host, HostOptions, Model, ModelEvent, ModelPart, ModelRequest, Tool } from '@pawl/engine';
import { createHost } from '@pawl/engine';
import type { DurableEvent, EventType, JsonObject, SessionClient } from '@pawl/protocol';
import { textOf } from '@pawl/protocol';
import { memoryLog } from '@pawl/storage';
import { taskTools } from '../../src/index.ts';

const usage = {
  inputTokens: 100,
  outputTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};
/** What every answer costs. */
export const costUsd = 0.01;
export const tokens = 110;

type Call = { tool: string; input?: JsonObject };
type Answer = string | Call[] | Error;
/** What a session's model says at its first, second… call; a function may wait. */
export type Part = Answer | ((request: ModelRequest, signal: AbortSignal) => Answer | Promise<Answer>);

export type Script = { [session: string]: Part[] | ((request: ModelRequest, call: number) => Part) };

/** Beyond a script every session says "Done."; what is not in it, by `*`. */
export function treeModel(script: Script): Model & { requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  const calls = new Map<string, number>();
  return {
    id: 'fake/model',
    info: { contextTokens: 100_000, outputTokens: 1000, isPriceKnown: true },
    requests,
    async *stream(request, signal): AsyncIterable<ModelEvent> {
      requests.push(request);
      const call = calls.get(request.session) ?? 0;
      calls.set(request.session, call + 1);
      const parts = script[request.session] ?? script['*'] ?? [];
      const part = typeof parts === 'function' ? parts(request, call) : (parts[call] ?? 'Done.');
      const answer = typeof part === 'function' ? await part(request, signal) : part;
      if (answer instanceof Error) throw answer;
      const content: ModelPart[] =
        typeof answer === 'string'
          ? [{ type: 'text', text: answer }]
          : answer.map(({ tool, input = {} }) => ({ type: 'tool_call', tool, input }));
      const stopReason = typeof answer === 'string' ? 'end' : 'tool_calls';
      yield { type: 'finished', message: { content, stopReason, usage, costUsd } };
    },
  };
}

export const task = (prompt: string, more: JsonObject = {}): Call => ({ tool: 'task', input: { prompt, ...more } });
export const complete = (summary: string, more: JsonObject = {}): Call[] => [
  { tool: 'complete', input: { summary, ...more } },
];

/** Says that it hangs, and never comes; ends when it is stopped. */
export const hangingOnce =
  (begun: () => void = () => undefined): Part =>
  (_, signal) => {
    begun();
    return new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  };

export type Tree = { host: Host; session: SessionClient; model: ReturnType<typeof treeModel>; log: HostOptions['log'] };

export async function plant(
  script: Script,
  {
    tools = [],
    create = {},
    ...options
  }: Partial<Omit<HostOptions, 'tools'>> & { tools?: Tool[]; create?: Partial<Parameters<Host['create']>[0]> } = {},
): Promise<Tree> {
  const model = treeModel(script);
  const log = options.log ?? memoryLog();
  const host = createHost({ log, model, tools: [...taskTools(), ...tools], ...options });
  const session = await host.create({ cwd: '/', id: 'main', ...create });
  return { host, session, model, log };
}

/** All events of a type in a session's log. */
export async function logged<Type extends EventType>(host: Host, session: string, type: Type) {
  const events = await host.read(session);
  return events.filter((event): event is DurableEvent & { type: Type } => event.type === type);
}

/** What the model was told in the last request of a session: results and user messages, in order. */
export function told(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? []).flatMap((message) => {
    if (message.role === 'user') return [textOf(message.content)];
    return message.role === 'tool' ? message.results.map(({ content }) => content) : [];
  });
}

/** A clock that stands until it is moved. */
export function handClock(): Clock & { move(ms: number): void } {
  let now = 1_000_000;
  const waiting = new Set<{ at: number; call: () => void }>();
  return {
    now: () => now,
    at(at, call) {
      const entry = { at, call };
      waiting.add(entry);
      if (at <= now) setImmediate(() => waiting.delete(entry) && call());
      return () => waiting.delete(entry);
    },
    move(ms) {
      now += ms;
      for (const entry of [...waiting]) if (entry.at <= now && waiting.delete(entry)) entry.call();
    },
  };
}
