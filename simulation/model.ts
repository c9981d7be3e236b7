/** A simulated model: answers of every kind, whole, in pieces, or not at all. */
import type { Model, ModelEvent, ModelPart, ModelRequest } from '@pawl/engine';
import type { StopReason } from '@pawl/protocol';
import { PawlError } from '@pawl/protocol';
import type { Random } from './random.ts';
import { swarm } from './random.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import { fates, paths, toolNames } from './tools.ts';

const answers = {
  calls: 55,
  end: 20,
  empty: 4,
  thinks_only: 2,
  fails: 3,
  fails_midway: 4,
  cut: 2,
  hangs: 2,
  deaf: 2,
  rolls_back: 3,
  output_limit: 2,
  refusal: 2,
  stop_sequence: 2,
  pause: 3,
} as const;

type Fates = Record<keyof typeof fates, number>;

export const modelId = 'simulated/one';
export const otherModelId = 'simulated/two';
export const modelInfo = { contextTokens: 100_000, outputTokens: 1000, isPriceKnown: true };

export function createModel(
  id: string,
  world: {
    scheduler: Scheduler;
    random: Random;
    onRequest(request: ModelRequest, owner: Owner): void;
    isCalm(): boolean;
  },
  owner: Owner,
): Model {
  const { scheduler, random } = world;
  const inclined = swarm(random, answers);
  const inclinedFates = swarm(random, fates);

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    world.onRequest(request, owner);
    const answer = world.isCalm() ? 'end' : random.weighted(inclined);
    scheduler.note(`${owner.name}: the model answers: ${answer}`);
    const chunk = () => scheduler.wait(owner, 'model chunk', answer === 'deaf' ? undefined : signal);
    await chunk();
    if (answer === 'fails') throw new PawlError('model_failed', 'The provider is down.');
    const pieces = random.chance(0.3) ? 0 : random.below(3);
    for (let piece = 0; piece < pieces && answer !== 'empty'; piece++) {
      yield { type: random.chance(0.8) && answer !== 'thinks_only' ? 'text' : 'thinking', text: `piece ${piece} ` };
      await chunk();
    }
    if (answer === 'fails_midway') throw new PawlError('model_failed', 'The connection broke.');
    if (answer === 'cut') return;
    if (answer === 'hangs' || answer === 'deaf') await new Promise<never>(() => undefined);
    if (answer === 'rolls_back') {
      yield { type: 'rollback', reason: 'The stream began anew.' };
      await chunk();
      yield { type: 'text', text: 'Again: ' };
    }
    const content = contentOf(answer, random, inclinedFates);
    for (const [index, part] of content.entries()) {
      if (part.type === 'tool_call') yield { type: 'input', call: index + 1, tool: part.tool, text: '{' };
    }
    const usage = { inputTokens: 10 + random.below(50), outputTokens: 5 + random.below(30) };
    yield {
      type: 'finished',
      message: {
        content,
        stopReason: stopReasonOf(answer, content),
        usage: { ...usage, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWriteHourTokens: 0, reasoningTokens: 0 },
        costUsd: random.chance(0.9) ? 0.25 : null,
      },
    };
  }

  return { id, info: modelInfo, stream };
}

function contentOf(answer: keyof typeof answers, random: Random, inclined: Fates): ModelPart[] {
  if (answer === 'empty') return random.chance(0.5) ? [] : [{ type: 'text', text: '  ' }];
  const thinking: ModelPart = { type: 'thinking', text: 'Let me see.', signature: 'signed' };
  if (answer === 'thinks_only') return [thinking];
  const text: ModelPart = { type: 'text', text: `Answer ${random.below(1000)}.` };
  const hasCalls = answer === 'calls' || ((answer === 'output_limit' || answer === 'rolls_back') && random.chance(0.5));
  if (!hasCalls) return random.chance(0.2) ? [thinking, text] : [text];
  const count = random.chance(0.05) ? 20 : 1 + random.below(4);
  const calls: ModelPart[] = [];
  for (let index = 0; index < count; index++) {
    const last = calls.at(-1);
    calls.push(last !== undefined && random.chance(0.1) ? last : callOf(random, inclined));
  }
  return random.chance(0.5) ? [text, ...calls] : calls;
}

function callOf(random: Random, inclined: Fates): ModelPart {
  const tool = random.chance(0.04) ? 'unheard_of' : random.pick(toolNames);
  if (random.chance(0.03)) return { type: 'tool_call', tool, input: {}, malformed: '{"path": ' };
  if (random.chance(0.03)) return { type: 'tool_call', tool, input: { wrong: true } };
  return { type: 'tool_call', tool, input: { path: random.pick(paths), fate: random.weighted(inclined) } };
}

function stopReasonOf(answer: keyof typeof answers, content: readonly ModelPart[]): StopReason {
  switch (answer) {
    case 'output_limit':
    case 'refusal':
    case 'stop_sequence':
    case 'pause':
      return answer;
    default:
      return content.some((part) => part.type === 'tool_call') ? 'tool_calls' : 'end';
  }
}
