/** Checks the result of a turn or task against the schema that was asked for. */
import type { Json, JsonObject } from '@pawl/protocol';
import { messageOf, PawlError } from '@pawl/protocol';
import type { Demand, ResultCheck, State } from '../core/index.ts';
import { noResult } from '../core/index.ts';
import type { ModelMessage, ToolOutcome } from '../ports.ts';
import { followAnswer, noAnswer } from '../readers/answer.ts';
import { schemaProblems } from '../registry/validate.ts';

/** Checks the last answer of a turn that has an output schema; null where there is none, or the answer is not the last. */
export async function checkAnswer(state: Readonly<State>, message: ModelMessage): Promise<ResultCheck | null> {
  const { turn } = state;
  const schema = turn?.options.outputSchema;
  if (turn === null || schema === undefined || turn.loop !== null || !isLast(message)) return null;
  const parsed = parseJsonAnswer(wholeText(state, message));
  return 'problem' in parsed
    ? { isValid: false, problem: parsed.problem }
    : checkResult(schema, parsed.value, 'Your answer');
}

/**
 * Checks the outcome of a tool that ends its turn or task, where a result was asked for. An outcome that is not valid is
 * changed into an error that ends nothing.
 */
export async function checkOutcome(
  demand: Demand,
  outcome: ToolOutcome,
): Promise<{ held: ToolOutcome; checked?: ResultCheck }> {
  const { endsTurn: _, result, envelope, ...rest } = outcome;
  const given = demand.isForTask ? envelope?.result : result;
  const checked: ResultCheck =
    given === undefined
      ? { isValid: false, problem: noResult }
      : await checkResult(demand.schema, given, 'The result').catch((error: unknown) => ({
          isValid: false,
          problem: messageOf(error),
        }));
  if (checked.isValid) return { held: outcome, checked };
  const content = `Not accepted. ${checked.problem}\nIt has to satisfy: ${JSON.stringify(demand.schema)}`;
  return { held: { ...rest, content, isError: true }, checked };
}

/** @throws `bad_schema` when the schema cannot be used. */
async function checkResult(schema: JsonObject, value: Json, what: string): Promise<ResultCheck> {
  let problems: string;
  try {
    problems = await schemaProblems(schema, value);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new PawlError('bad_schema', `The schema of the result is no JSON Schema: ${reason}. Mend it.`, { cause });
  }
  if (problems === '') return { isValid: true, result: value };
  return { isValid: false, problem: `${what} does not satisfy the schema:\n${problems}` };
}

function isLast({ content, stopReason }: ModelMessage): boolean {
  if (content.some((part) => part.type === 'tool_call')) return false;
  return stopReason === 'end' || stopReason === 'stop_sequence' || stopReason === 'tool_calls';
}

/** The whole text of an answer that was cut and continued. */
function wholeText({ messages }: Readonly<State>, { content, stopReason }: ModelMessage): string {
  const first = messages.findLastIndex(({ role }) => role !== 'assistant') + 1;
  const before = messages.slice(first).flatMap((message) => (message.role === 'assistant' ? [message] : []));
  const answer = before.reduce(followAnswer, noAnswer);
  const own = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return answer.isOpen && stopReason !== 'refusal' ? answer.text + own : own;
}

/** Parses JSON, also in a code fence, as many models write it. */
function parseJsonAnswer(text: string): { value: Json } | { problem: string } {
  const trimmed = text.trim();
  const fenced = /^```[a-z]*\s*\n([\s\S]*?)\n?```$/i.exec(trimmed)?.[1];
  try {
    return { value: JSON.parse(fenced ?? trimmed) as Json };
  } catch (error) {
    return { problem: `Your answer is not JSON alone: ${messageOf(error)}.` };
  }
}
