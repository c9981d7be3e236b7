/** A simulated model: answers of every kind, whole, in pieces, or not at all. */
import type { Model, ModelEvent, ModelPart, ModelRequest } from '@pawl/engine';
import { PawlError } from '@pawl/protocol';
import type { Violate } from '../checks/invariants.ts';
import { announcements, answers, contentOf, messageOf } from './answers.ts';
import { countOf, crowdedInfo, summaryFates, summaryOf } from './crowded.ts';
import { demandedContent } from './demands.ts';
import { droughtOf } from './drought.ts';
import { endingCall } from './errands.ts';
import { fates } from './kinds.ts';
import type { Random } from './random.ts';
import { swarm } from './random.ts';
import { createRepetition } from './repeats.ts';
import type { Owner, Scheduler } from './scheduler.ts';

export const modelId = 'simulated/one';
export const otherModelId = 'simulated/two';
export const modelInfo = { contextTokens: 100_000, outputTokens: 1000, isPriceKnown: true };

/** Pieces of one answer that no reader keeps up with. */
const torrentPieces = 5000;

export type ModelWorld = {
  scheduler: Scheduler;
  random: Random;
  onRequest(request: ModelRequest, owner: Owner): void;
  /** What a machine has received of an answer so far is void. */
  onWithdrawn(session: string, owner: Owner): void;
  isCalm(): boolean;
  isCrowded: boolean;
  /** Whether turns have targets, which take an end. */
  isErrand: boolean;
  /** Whether turns are asked for results. */
  isDemanding: boolean;
  /** Whether the compaction's model fails all the time. */
  isDry: boolean;
  violate: Violate;
  /** Whether models say the same again and again. */
  isRepeating: boolean;
  /** How often each file was changed. */
  versions: Map<string, number>;
};

export function createModel(id: string, world: ModelWorld, owner: Owner): Model {
  const { scheduler, random } = world;
  const inclined = swarm(random, answers);
  const drought = world.isDry ? droughtOf(random) : null;
  const tooLong = world.isCrowded && !world.isDry ? random.pick([0, 0.05, 0.2]) : 0;
  const someFates = swarm(random, fates);
  if (world.isCrowded) someFates.big *= 5;
  const habits = { fates: someFates, wrongness: random.pick([0, 0.05, 0.05, 0.9]) };
  /** How long it takes from one call to the next, in chunks: early calls may be long done, or not even judged. */
  const longestPause = random.pick(world.isDemanding ? [6, 12, 30] : [0, 1, 6]);
  const repetition = world.isRepeating
    ? createRepetition(random, world.versions)
    : (_: string, content: ModelPart[]) => content;

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    world.onRequest(request, owner);
    if (request.purpose === 'compaction') {
      yield* summary(request, signal);
      return;
    }
    if (world.isCrowded && !world.isCalm() && random.chance(tooLong)) {
      await scheduler.wait(owner, 'refusal', signal);
      world.onWithdrawn(request.session, owner);
      throw refusalOf(request);
    }
    const isEnding = world.isErrand && !world.isCalm() && random.chance(0.4);
    const answer = world.isCalm()
      ? 'end'
      : isEnding || (world.isDry && random.chance(0.8))
        ? 'calls'
        : random.weighted(inclined);
    scheduler.note(`${owner.name}: the model answers: ${answer}`);
    const chunk = () => scheduler.wait(owner, 'model chunk', answer === 'deaf' ? undefined : signal);
    const fail = (code: string, why: string): never => {
      world.onWithdrawn(request.session, owner);
      throw new PawlError(code, why);
    };
    await chunk();
    if (answer === 'fails') fail('model_failed', 'The provider is down.');
    const pieces = answer === 'torrent' ? torrentPieces : random.chance(0.3) ? 0 : random.below(3);
    for (let piece = 0; piece < pieces && answer !== 'empty'; piece++) {
      yield { type: random.chance(0.8) && answer !== 'thinks_only' ? 'text' : 'thinking', text: `piece ${piece} ` };
      if (answer !== 'torrent') await chunk();
    }
    let content = isEnding ? endingCall() : contentOf(answer, random, habits);
    if (world.isDemanding && !world.isCalm()) content = demandedContent(content, random);
    if (world.isRepeating && answer === 'calls') content = repetition(request.session, content);
    yield* announced(content, chunk);
    if (answer === 'fails_midway') fail('model_failed', 'The connection broke.');
    if (answer === 'cut') {
      world.onWithdrawn(request.session, owner);
      return;
    }
    if (answer === 'hangs' || answer === 'deaf') await new Promise<never>(() => undefined);
    if (answer === 'rolls_back') {
      world.onWithdrawn(request.session, owner);
      yield { type: 'rollback', reason: 'The stream began anew.' };
      await chunk();
      yield { type: 'text', text: 'Again: ' };
      if (random.chance(0.5)) content = contentOf(answer, random, habits);
      yield* announced(content, chunk);
    }
    const message = messageOf(answer, content, random);
    const usage = { ...message.usage, inputTokens: countOf(request) };
    yield { type: 'finished', message: world.isCrowded ? { ...message, usage } : message };
  }

  async function* summary(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const fate = world.isCalm() ? 'good' : drought !== null ? drought() : random.weighted(summaryFates);
    scheduler.note(`${owner.name}: the model summarises: ${fate}`);
    for (let left = random.below(12); left >= 0; left--) await scheduler.wait(owner, 'summary', signal);
    if (fate === 'hangs') await new Promise<never>(() => undefined);
    if (fate === 'fails') throw new PawlError('model_failed', 'The provider is down.');
    if (fate === 'too_long') throw refusalOf(request);
    yield { type: 'finished', message: summaryOf(fate, request, random) };
  }

  async function* announced(content: readonly ModelPart[], chunk: () => Promise<void>): AsyncGenerator<ModelEvent> {
    for (const told of announcements(content, random, habits.fates)) {
      yield { type: 'input', call: told.call, tool: told.tool, text: '{' };
      yield told;
      for (let left = random.below(longestPause + 1); left > 0; left--) await chunk();
    }
  }

  return { id, info: world.isCrowded ? crowdedInfo : modelInfo, stream };
}

/** By its tokens or by its bytes, as providers count one or the other. */
function refusalOf({ messages }: ModelRequest): PawlError {
  const code = messages.length % 2 === 0 ? 'context_overflow' : 'request_too_large';
  return new PawlError(code, 'The request is too long.');
}
