/** What the flags ask of the turn that the prompt starts. */
import { readFileSync } from 'node:fs';
import { schemaFault } from '@pawl/engine/core';
import type { JsonObject, ToolChoice, TurnOptions } from '@pawl/protocol';
import { bounds, defaultIterations, messageOf } from '@pawl/protocol';
import { usageError } from '../usage-error.ts';
import { parseCount, parseDuration } from '../values.ts';

export type TurnFlags = {
  outputSchema?: string;
  toolChoice?: string;
  requestTimeout?: string;
  untilDone?: true;
  maxIterations?: string;
  verify?: string;
};

/** @throws `usage`. */
export function readTurnFlags(flags: TurnFlags): TurnOptions {
  const { outputSchema, toolChoice, requestTimeout } = flags;
  const target = targetOf(flags);
  if (target !== undefined && toolChoice === 'none') {
    throw usageError('--tool-choice none: with --until-done the agent has to call done.');
  }
  return {
    ...(outputSchema !== undefined && { outputSchema: readSchema(outputSchema) }),
    ...(toolChoice !== undefined && { toolChoice: choiceOf(toolChoice) }),
    ...(requestTimeout !== undefined && { requestTimeoutMs: parseDuration('--request-timeout', requestTimeout) }),
    ...(target !== undefined && { target }),
  };
}

function targetOf({ untilDone, maxIterations, verify }: TurnFlags): TurnOptions['target'] {
  if (untilDone !== true) {
    const stray = maxIterations !== undefined ? '--max-iterations' : verify !== undefined ? '--verify' : null;
    if (stray !== null) throw usageError(`${stray} belongs to --until-done.`);
    return undefined;
  }
  if (verify?.trim() === '') throw usageError('--verify: the command is empty.');
  return {
    maxIterations:
      maxIterations === undefined
        ? defaultIterations
        : parseCount('--max-iterations', maxIterations, bounds.maxIterations),
    ...(verify !== undefined && { verify }),
  };
}

function choiceOf(text: string): ToolChoice {
  if (text.trim() === '') throw usageError('--tool-choice: say auto, none, required, or the name of a tool.');
  return text === 'auto' || text === 'none' || text === 'required' ? text : { tool: text };
}

function readSchema(path: string): JsonObject {
  let schema: unknown;
  try {
    schema = JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw usageError(`--output-schema: ${path} cannot be read as JSON: ${messageOf(cause)}`, { cause });
  }
  if (typeof schema === 'object' && schema !== null && !Array.isArray(schema)) {
    const fault = schemaFault(schema as JsonObject);
    if (fault === null) return schema as JsonObject;
    throw usageError(`--output-schema: ${path} is no JSON Schema. ${fault}`);
  }
  throw usageError(`--output-schema: ${path} is no JSON Schema. It is an object such as {"type": "object", …}.`);
}
