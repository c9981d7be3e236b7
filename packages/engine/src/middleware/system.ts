import type { ModelRequest } from '../ports.ts';
import type { RequestMiddleware } from '../runtime/middleware.ts';

/**
 * Replaces the system prompt of every call. A function gets the request and may build on its `system`; what it gives
 * should stay the same from step to step, or the provider's prompt cache is lost.
 * @example
 * createHost({ log, model, requestMiddleware: [withSystem(({ system }) => `${system}\nAnswer in French.`)] })
 */
export function withSystem(system: string | ((request: ModelRequest) => string)): RequestMiddleware {
  return (request, signal, next) =>
    next({ ...request, system: typeof system === 'string' ? system : system(request) }, signal);
}
