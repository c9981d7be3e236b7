/** What a simulated model says: text, thinking, calls right and wrong, and what its stream tells of them beforehand. */
import type { ModelEvent, ModelMessage, ModelPart } from '@pawl/engine';
import type { StopReason } from '@pawl/protocol';
import type { Fates } from './kinds.ts';
import { paths, toolNames } from './kinds.ts';
import type { Random } from './random.ts';

export const answers = {
  calls: 55,
  end: 20,
  empty: 4,
  thinks_only: 2,
  fails: 3,
  fails_midway: 4,
  cut: 2,
  hangs: 2,
  deaf: 2,
  rolls_back: 5,
  output_limit: 6,
  refusal: 2,
  stop_sequence: 2,
  pause: 3,
  torrent: 0.3,
} as const;

export type Answer = keyof typeof answers;

type Announcement = Extract<ModelEvent, { type: 'input_complete' }>;
type CallPart = Extract<ModelPart, { type: 'tool_call' }>;

export function messageOf(answer: Answer, content: ModelPart[], random: Random): ModelMessage {
  const usage = { inputTokens: 10 + random.below(50), outputTokens: 5 + random.below(30) };
  const isCutInCall = answer === 'output_limit' && random.chance(0.5);
  return {
    content,
    stopReason: stopReasonOf(answer, content),
    usage: { ...usage, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWriteHourTokens: 0, reasoningTokens: 0 },
    costUsd: random.chance(0.9) ? 0.25 : null,
    ...(isCutInCall && { cutCall: random.pick(toolNames) }),
  };
}

/** What a model tends to: how its calls go, and how often all calls of an answer are wrong in themselves. */
export type Habits = { fates: Fates; wrongness: number };

export function contentOf(answer: Answer, random: Random, { fates, wrongness }: Habits): ModelPart[] {
  if (answer === 'empty') return random.chance(0.5) ? [] : [{ type: 'text', text: '  ' }];
  const thinking: ModelPart = { type: 'thinking', text: 'Let me see.', signature: 'signed' };
  if (answer === 'thinks_only') return [thinking];
  if (answer === 'output_limit' && random.chance(0.4)) return random.chance(0.5) ? [thinking] : [];
  const text: ModelPart = { type: 'text', text: `Answer ${random.below(1000)}.` };
  if (!hasCalls(answer, random)) return random.chance(0.2) ? [thinking, text] : [text];
  const calls: CallPart[] = [];
  const isWrong = random.chance(wrongness);
  for (let left = countOf(random); left > 0; left--) {
    const last = calls.at(-1);
    if (last !== undefined && random.chance(0.1)) calls.push(last);
    else calls.push(isWrong ? malformedCall(random) : callOf(random, fates));
  }
  return random.chance(0.5) ? [text, ...calls] : calls;
}

function hasCalls(answer: Answer, random: Random): boolean {
  switch (answer) {
    case 'calls':
    case 'fails_midway':
    case 'cut':
    case 'hangs':
    case 'deaf':
      return true;
    case 'output_limit':
    case 'rolls_back':
    case 'refusal':
    case 'pause':
      return random.chance(0.5);
    default:
      return false;
  }
}

function countOf(random: Random): number {
  if (random.chance(0.003)) return 255 + random.below(50);
  return random.chance(0.05) ? 20 : 1 + random.below(4);
}

function callOf(random: Random, inclined: Fates): CallPart {
  if (random.chance(0.08)) return malformedCall(random);
  return {
    type: 'tool_call',
    tool: random.pick(toolNames),
    input: { path: random.pick(paths), fate: random.weighted(inclined) },
  };
}

/** A call that is wrong in itself: no JSON, other arguments, no such tool. */
function malformedCall(random: Random): CallPart {
  const tool = random.pick(toolNames);
  const how = random.pick(['text', 'arguments', 'tool'] as const);
  switch (how) {
    case 'text':
      return { type: 'tool_call', tool, input: {}, malformed: '{"path": ' };
    case 'arguments':
      return { type: 'tool_call', tool, input: { wrong: true } };
    case 'tool':
      return { type: 'tool_call', tool: 'unheard_of', input: { path: random.pick(paths), fate: 'plain' } };
    default:
      return how satisfies never;
  }
}

/**
 * What is told of the calls before the answer is whole. Mostly what stands in it then, in its order; but a call may be
 * left out, have other arguments in the end, be told twice, be told before the ones before it, or never be made.
 */
export function announcements(content: readonly ModelPart[], random: Random, inclined: Fates): Announcement[] {
  const told: Announcement[] = [];
  const tell = (call: number, { tool, input }: CallPart) => told.push({ type: 'input_complete', call, tool, input });
  const drifted = ({ tool, input }: CallPart): CallPart => {
    if (random.chance(0.5)) return callOf(random, inclined);
    return { type: 'tool_call', tool, input: { ...input, fate: random.weighted(inclined) } };
  };
  const calls = content.filter((part) => part.type === 'tool_call');
  for (const [index, part] of calls.entries()) {
    if (part.malformed !== undefined || random.chance(0.1)) continue;
    tell(index + 1, random.chance(0.1) ? drifted(part) : part);
    if (random.chance(0.03)) tell(index + 1, random.chance(0.5) ? drifted(part) : part);
  }
  if (random.chance(0.1)) tell(calls.length + 1, callOf(random, inclined));
  if (random.chance(0.05)) told.reverse();
  return told;
}

function stopReasonOf(answer: Answer, content: readonly ModelPart[]): StopReason {
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
