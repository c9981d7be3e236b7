/** What an input asks of the turn that it starts, and of every step of that turn. */
import { z } from 'zod';
import { bounds, defaultIterations } from '../bounds.ts';

/** Whether the model calls tools: as it likes, at least one, none, or this one. A call that is forced is forced once. */
export const toolChoice = z.union([z.enum(['auto', 'required', 'none']), z.object({ tool: z.string().min(1) })]);

/** Until when the turn keeps going. */
export const target = z.object({
  /** Times that the agent may come to rest, or say that it is done, before the turn ends. */
  maxIterations: z.number().int().min(1).max(bounds.maxIterations).default(defaultIterations),
  /** A person's shell command that must succeed before `done` is accepted. It may be run again after a crash. */
  verify: z.string().min(1).optional(),
});

export const turnOptions = z.object({
  /** Put the turn's result up for review instead of ending the turn. */
  review: z.boolean().optional(),
  /** JSON Schema of the turn's result: the last answer, or what a tool that ends the turn gives. */
  outputSchema: z.record(z.string(), z.json()).optional(),
  toolChoice: toolChoice.optional(),
  /** Longest time of one call of the model, ms. */
  requestTimeoutMs: z.number().int().min(1).optional(),
  target: target.optional(),
});

/** Where a turn that works toward a target stands. */
export const loopStatus = z.enum(['executing', 'verifying', 'assessing', 'completed', 'blocked', 'budget_exhausted']);
