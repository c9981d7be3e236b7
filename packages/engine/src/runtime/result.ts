/** Holds what a turn was to give against the schema that it was asked for. */
import type { Json, JsonObject } from '@pawl/protocol';
import { messageOf, PawlError } from '@pawl/protocol';
import type { Demand, ResultCheck, State } from '../core/index.ts';
import { noResult } from '../core/index.ts';
import type { ModelMessage, ToolOutcome } from '../ports.ts';
import { followAnswer, noAnswer } from '../readers/answer.ts';
import { schemaProblems } from '../registry/validate.ts';

/** The last answer of a turn that was to be JSON; null where it is not the last, or nothing was asked for. */
export async function checkAnswer(state: Readonly<State>, message: ModelMessage): Promise<ResultCheck | null> {
  const { turn } = state;
  const schema = turn?.options.outputSchema;
  if (turn === null || schema === undefined || turn.loop !== null || !isLast(message)) return null;
  const parsed = parse(wholeText(state, message));
  return 'problem' in parsed
    ? { isValid: false, problem: parsed.problem }
    : checkResult(schema, parsed.value, 'Your answer');
}

/**
 * What a tool brings back, when it may end its turn or its task only with a certain result: as it is, or without the end.
 * Every outcome of a tool comes through here, however early its call was run.
 */
export async function heldToSchema(
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

/** @throws `bad_schema` when nothing can be held against the schema. */
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

/** What was cut and gone on with is one text. */
function wholeText({ messages }: Readonly<State>, { content, stopReason }: ModelMessage): string {
  const first = messages.findLastIndex(({ role }) => role !== 'assistant') + 1;
  const before = messages.slice(first).flatMap((message) => (message.role === 'assistant' ? [message] : []));
  const answer = before.reduce(followAnswer, noAnswer);
  const own = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return answer.isOpen && stopReason !== 'refusal' ? answer.text + own : own;
}

/** JSON alone, or in one fence of its own, as many models write it. */
function parse(text: string): { value: Json } | { problem: string } {
  const trimmed = text.trim();
  const fenced = /^```[a-z]*\s*\n([\s\S]*?)\n?```$/i.exec(trimmed)?.[1];
  try {
    return { value: JSON.parse(fenced ?? trimmed) as Json };
  } catch (error) {
    return { problem: `Your answer is not JSON alone: ${messageOf(error)}.` };
  }
}
