import { messageOf, PawlError } from '@pawl/protocol';
import type { ModelEvent, ModelRequest } from '../ports.ts';
import type { RequestMiddleware } from '../runtime/middleware.ts';

type Context = string | null;

/**
 * Puts text after the history of every call: the time, a list of open files, what a search found. It is made anew each
 * time, is no part of the history, and stands outside the prefix that providers keep in their cache. Null adds nothing.
 * A function that throws fails the call with `context_failed`.
 * @example
 * createHost({ log, model, requestMiddleware: [withContext(() => `It is ${new Date().toISOString()}.`)] })
 */
export function withContext(context: (request: ModelRequest) => Context | Promise<Context>): RequestMiddleware {
  return async function* (request, signal, next): AsyncGenerator<ModelEvent> {
    yield* next(added(request, await make(context, request)), signal);
  };
}

async function make(context: Parameters<typeof withContext>[0], request: ModelRequest): Promise<Context> {
  try {
    return await context(request);
  } catch (cause) {
    throw new PawlError('context_failed', `The context of a model call could not be made: ${messageOf(cause)}`, {
      cause,
    });
  }
}

function added(request: ModelRequest, text: Context): ModelRequest {
  if (text === null || text.trim() === '') return request;
  return { ...request, tail: request.tail === null ? text : `${request.tail}\n\n${text}` };
}
