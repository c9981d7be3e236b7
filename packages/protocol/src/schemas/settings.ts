import { z } from 'zod';
import { bounds } from '../bounds.ts';

/** How a tool's own question is answered when no rule decides. A mode never overrides a rule. */
export const permissionMode = z.enum(['manual', 'accept-edits', 'plan', 'auto']);

/** Rules of the form `tool` or `tool(pattern)`. A deny wins over an ask, an ask over an allow. */
export const ruleSet = z.object({
  deny: z.array(z.string()),
  ask: z.array(z.string()),
  allow: z.array(z.string()),
});

/** What the agent of this name may call, under which rules. What it does not say is as the session has it. */
export const agentProfile = z.object({
  name: z.string(),
  /** Names of tools, `*` for any characters, `!` before what is left out; null is all. */
  tools: z.array(z.string()).nullable(),
  /** A layer of rules of its own. */
  rules: ruleSet,
  /** Agents that it may give tasks to; null is any. */
  delegates: z.array(z.string()).nullable(),
  /** The mode that it works in; another agent gets back the one from before. */
  mode: permissionMode.optional(),
});

/** Limits of a turn, and of a session where the name says so; null is none. */
export const limits = z.object({
  /** Model calls in one turn. */
  steps: z.number().int().min(1).max(bounds.maxSteps),
  durationMs: z.number().int().min(1).nullable(),
  tokens: z.number().int().min(1).nullable(),
  usd: z.number().min(0).nullable(),
  sessionTokens: z.number().int().min(1).nullable(),
  sessionUsd: z.number().min(0).nullable(),
  /** How long an approval waits for its answer; 0 is for ever. */
  approvalTimeoutMs: z.number().int().min(0),
});

/** What is known of a model when a session starts to use it. */
export const modelInfo = z.object({
  /** Tokens that fit in one request, input and output together. */
  contextTokens: z.number().int().min(1),
  /** Most tokens of one answer. */
  outputTokens: z.number().int().min(1),
  isPriceKnown: z.boolean(),
  /** US dollars per million tokens that a request's input costs at least: the price of a cache read, where there is one. */
  leastInputUsdPerMillion: z.number().min(0).optional(),
  /** Media types that it takes besides text, such as `image/png`; absent where nobody knows. */
  inputTypes: z.array(z.string()).optional(),
});
