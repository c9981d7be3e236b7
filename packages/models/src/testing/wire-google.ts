import type { StopReason, Usage } from '@pawl/protocol';
import { fields, list, string } from '../wires/fields.ts';
import { deltasOf, type ScriptedAnswer, stopReasonOf } from './script.ts';
import type { ParsedRequest, WireForm } from './wire-request.ts';

/** The Gemini API as a server speaks it. */
export const googleForm: WireForm = {
  wire: 'google',
  isAt: (path) => path.endsWith(':streamGenerateContent') || path.endsWith(':generateContent'),
  read: readBody,
  stream: googleStream,
};

/** Reads the body of a `generateContent` request; its model stands in the path. */
function readBody(body: { [key: string]: unknown }, path: string): ParsedRequest {
  return {
    model: /models\/([^/]+):\w+$/.exec(path)?.[1] ?? '',
    system: textOf(fields(body.systemInstruction).parts),
    tools: list(body.tools)
      .flatMap((tool) => list(fields(tool).functionDeclarations))
      .map((declaration) => string(fields(declaration).name)),
    messages: list(body.contents)
      .map(fields)
      .map(({ role, parts }) => {
        const results = functions(parts, 'functionResponse').map((result) => {
          const response = fields(result.response);
          const isError = response.error !== undefined;
          return { call: string(result.id), content: string(isError ? response.error : response.output), isError };
        });
        return {
          role: role === 'model' ? 'assistant' : results.length > 0 ? 'tool' : 'user',
          text: textOf(parts),
          calls: functions(parts, 'functionCall').map((call) => ({
            id: string(call.id),
            tool: string(call.name),
            input: call.args,
          })),
          results,
        };
      }),
  };
}

/** A scripted answer as the Gemini API streams it: calls are whole, and the first is signed. */
export function googleStream(answer: ScriptedAnswer, model: string): string {
  const reason = stopReasonOf(answer);
  const chunks: object[] = [];
  const add = (part: object, more: object = {}) =>
    chunks.push({
      candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...more }],
      usageMetadata: googleUsage(answer.usage ?? {}),
      modelVersion: model,
      responseId: 'test',
    });
  if (answer.thinking) add({ text: answer.thinking, thought: true });
  for (const text of deltasOf(answer)) add({ text });
  let lacksSignature = true;
  for (const { tool, input = {}, malformed } of answer.calls ?? []) {
    // Text in place of an object, as a proxy that passes on another provider's calls has it.
    const part = { functionCall: { name: tool, args: malformed ?? input } };
    add(lacksSignature ? { ...part, thoughtSignature: 'c2lnbmF0dXJl' } : part);
    lacksSignature = false;
  }
  add({ text: '' }, { finishReason: stopWord(reason) });
  return chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join('');
}

function textOf(parts: unknown): string {
  return list(parts)
    .map(fields)
    .filter(({ text, thought }) => text !== undefined && text !== '' && thought !== true)
    .map(({ text }) => string(text))
    .join('\n');
}

function functions(parts: unknown, kind: 'functionCall' | 'functionResponse') {
  return list(parts)
    .map((part) => fields(part)[kind])
    .filter((value) => value !== undefined)
    .map(fields);
}

function googleUsage(usage: Partial<Usage>): object {
  const cached = usage.cacheReadTokens ?? 0;
  const prompt = (usage.inputTokens ?? 0) + cached;
  const thoughts = usage.reasoningTokens ?? 0;
  const output = usage.outputTokens ?? 0;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output - thoughts,
    totalTokenCount: prompt + output,
    ...(cached === 0 ? {} : { cachedContentTokenCount: cached }),
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
  };
}

function stopWord(reason: StopReason): string {
  const words = {
    end: 'STOP',
    tool_calls: 'STOP',
    output_limit: 'MAX_TOKENS',
    stop_sequence: 'STOP',
    refusal: 'SAFETY',
    pause: 'STOP',
  } satisfies Record<StopReason, string>;
  return words[reason];
}
