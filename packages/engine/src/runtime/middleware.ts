import type { JsonObject } from '@pawl/protocol';
import type { ModelEvent, ModelRequest, Tool, ToolContext, ToolOutcome } from '../ports.ts';

/** Wraps the call of a model: changes the request, watches or changes the stream, or answers itself. */
export type RequestMiddleware = (
  request: ModelRequest,
  signal: AbortSignal,
  next: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>,
) => AsyncIterable<ModelEvent>;

export type ToolRun = (tool: Tool, input: JsonObject, context: ToolContext) => Promise<ToolOutcome>;

/** Wraps the run of a tool, after its intent is in the log: with middleware, no read begins while the answer streams. */
export type ToolMiddleware = (
  tool: Tool,
  input: JsonObject,
  context: ToolContext,
  next: ToolRun,
) => Promise<ToolOutcome>;

/** The first of the list is the outermost. */
export function chainRequest(
  middleware: readonly RequestMiddleware[],
  call: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>,
) {
  return middleware.reduceRight<typeof call>((next, wrap) => (request, signal) => wrap(request, signal, next), call);
}

/** The first of the list is the outermost. */
export function chainTool(middleware: readonly ToolMiddleware[], run: ToolRun): ToolRun {
  return middleware.reduceRight<ToolRun>(
    (next, wrap) => (tool, input, context) => wrap(tool, input, context, next),
    run,
  );
}
