/** A simulated model for trees of tasks: it delegates, works, asks, stops, fails and hangs, as the seed says. */
import type { Model, ModelEvent, ModelPart, ModelRequest } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import type { Random } from '../world/random.ts';
import { swarm } from '../world/random.ts';
import type { Owner, Scheduler } from '../world/scheduler.ts';
import { stormyMove } from './storms.ts';

export const answerTokens = 100;
export const answerUsd = 1 / 64;
const usage = {
  inputTokens: answerTokens - 10,
  outputTokens: 10,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};

const moves = {
  delegate: 8,
  delegate_behind: 5,
  look: 5,
  set: 3,
  complete: 8,
  text: 4,
  ask_owner: 2,
  send: 3,
  cancel: 2,
  fails: 1,
  hangs: 1,
} as const;

export type TreeModelWorld = { scheduler: Scheduler; random: Random; isCalm(): boolean; isStormy: boolean };

export function createTreeModel(world: TreeModelWorld, owner: Owner): Model {
  const { scheduler, random } = world;
  const inclined = swarm(random, moves);
  const call = (tool: string, input: { [name: string]: string | boolean }): ModelPart => ({
    type: 'tool_call',
    tool,
    input,
  });
  const someTask = () => `builder-${1 + random.below(3)}`;
  // Few enough that the same is asked for twice.
  const work = (more = {}) => call('task', { prompt: `Work ${random.below(5)}`, ...more });

  const chosen = (request: ModelRequest): ModelPart[] => {
    const isTask = request.session.includes('.');
    if (world.isCalm())
      return [isTask ? call('complete', { summary: 'Done in calm.' }) : { type: 'text', text: 'Done.' }];
    const stormy = world.isStormy ? stormyMove(isTask, random) : null;
    if (stormy !== null) return stormy;
    const move = random.weighted(inclined);
    scheduler.note(`${owner.name}: ${request.session} ${move}`);
    switch (move) {
      case 'delegate':
        return Array.from({ length: 1 + random.below(3) }, () => work());
      case 'delegate_behind':
        return [work({ background: true, joined: random.chance(0.6) })];
      case 'look':
      case 'set':
        return [call(move, { n: `${random.below(1e6)}` })];
      case 'complete':
        return [call('complete', { summary: `Done ${random.below(100)}.` })];
      case 'ask_owner':
        return [call('ask_owner', { question: 'Which?' })];
      case 'send':
        return [call('task_send', { task: someTask(), message: `More ${random.below(100)}` })];
      case 'cancel':
        return [call('task_cancel', { task: someTask() })];
      case 'text':
        return [{ type: 'text', text: 'I think so.' }];
      case 'fails':
        throw new PawlError('model_failed', 'The provider is down.');
      case 'hangs':
        return [];
      default:
        return move satisfies never;
    }
  };

  return {
    id: 'simulated/tree',
    info: { contextTokens: 100_000, outputTokens: 1000, isPriceKnown: true },
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      await scheduler.wait(owner, `model of ${request.session}`, signal);
      const content = chosen(request);
      if (content.length === 0) {
        await new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      }
      const stopReason = content.some(({ type }) => type === 'tool_call') ? 'tool_calls' : 'end';
      yield { type: 'finished', message: { content, stopReason, usage, costUsd: answerUsd } };
    },
  };
}
