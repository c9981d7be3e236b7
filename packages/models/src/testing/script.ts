import type { ModelEvent, ModelMessage, ModelPart } from '@pawl/engine';
import { type JsonObject, PawlError, type StopReason, type Usage } from '@pawl/protocol';

/** A call as a script writes it; `malformed` is raw text in place of a JSON object. */
export type ScriptedCall = { tool: string; input?: JsonObject; malformed?: string };

/** One answer as a script writes it. Thinking comes first, then text, then calls. */
export type ScriptedAnswer = {
  thinking?: string;
  /** A list is streamed one delta an entry. */
  text?: string | readonly string[];
  calls?: readonly ScriptedCall[];
  /** Default: `tool_calls` if there are calls, else `end`. */
  stopReason?: StopReason;
  usage?: Partial<Usage>;
};

const noUsage: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  cacheWriteHourTokens: 0,
  reasoningTokens: 0,
};

/** The whole message of a scripted answer. Without a usage, it cost nothing. */
function messageOfAnswer(answer: ScriptedAnswer): ModelMessage {
  const text = deltasOf(answer).join('');
  const content: ModelPart[] = [];
  if (answer.thinking) content.push({ type: 'thinking', text: answer.thinking });
  if (text !== '') content.push({ type: 'text', text });
  for (const { tool, input = {}, malformed } of answer.calls ?? []) {
    content.push({ type: 'tool_call', tool, input, ...(malformed === undefined ? {} : { malformed }) });
  }
  return { content, stopReason: stopReasonOf(answer), usage: { ...noUsage, ...answer.usage }, costUsd: 0 };
}

/** The events of a scripted answer, deltas and all. */
export function* eventsOfAnswer(answer: ScriptedAnswer): Generator<ModelEvent> {
  if (answer.thinking) yield { type: 'thinking', text: answer.thinking };
  for (const text of deltasOf(answer)) yield { type: 'text', text };
  for (const [index, { tool, input = {}, malformed }] of (answer.calls ?? []).entries()) {
    const call = index + 1;
    yield { type: 'input', call, tool, text: malformed ?? JSON.stringify(input) };
    if (malformed === undefined) yield { type: 'input_complete', call, tool, input };
  }
  yield { type: 'finished', message: messageOfAnswer(answer) };
}

export function deltasOf({ text = [] }: ScriptedAnswer): readonly string[] {
  return (typeof text === 'string' ? [text] : text).filter((delta) => delta !== '');
}

export function stopReasonOf({ stopReason, calls = [] }: ScriptedAnswer): StopReason {
  return stopReason ?? (calls.length > 0 ? 'tool_calls' : 'end');
}

/** The error of a script that the code under test does not follow. */
export function scriptDrift(message: string): PawlError {
  return new PawlError('script_drift', message);
}
