import type { Model, ModelRequest } from '@pawl/engine';
import type { ModelInfo } from '@pawl/protocol';
import { PawlError, textOf } from '@pawl/protocol';
import { eventsOfAnswer, type ScriptedAnswer, scriptDrift } from './script.ts';

/** What a step expects of the request it answers. */
export type Expectation = {
  /** What the last user message says, or a part of it. */
  user?: string | RegExp;
  /** What the results of the last step say, or a part of it, in their order; as many as there are. */
  results?: readonly (string | RegExp)[];
  /** Names of tools that are offered, all of them. */
  tools?: readonly string[];
};

/** One call of the model: an answer or an error, at once or when `after` resolves. */
export type ScriptStep = (ScriptedAnswer | { error: { code: string; message: string } }) & {
  expect?: Expectation | ((request: ModelRequest) => void);
  after?: PromiseLike<unknown>;
};

export type ScriptedModel = Model & {
  /** The requests so far. */
  readonly requests: readonly ModelRequest[];
  /** @throws `script_drift` if steps are left. */
  done(): void;
};

/**
 * A model for tests: it answers call by call as the script says. It fails with `script_drift` when it is called more
 * often than the script knows or with something else than the script expects.
 */
export function scriptedModel(
  steps: readonly ScriptStep[],
  options: { id?: string; info?: Partial<ModelInfo> } = {},
): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    id: options.id ?? 'scripted',
    info: { contextTokens: 128_000, outputTokens: 4096, isPriceKnown: true, ...options.info },
    requests,
    async *stream(request, signal) {
      const number = requests.push({ ...request, messages: [...request.messages] });
      const step = steps[number - 1];
      if (step === undefined) {
        throw scriptDrift(`Call ${number} of the model, but the script has ${steps.length}: ${describe(request)}.`);
      }
      if (typeof step.expect === 'function') step.expect(request);
      else if (step.expect !== undefined) check(step.expect, request, number);
      if (step.after !== undefined) await Promise.race([step.after, aborted(signal)]);
      if ('error' in step) throw new PawlError(step.error.code, step.error.message);
      for (const event of eventsOfAnswer(step)) {
        if (signal.aborted) throw cancelled(signal);
        yield event;
      }
    },
    done() {
      if (requests.length < steps.length) {
        throw scriptDrift(`The model was called ${requests.length} times; the script has ${steps.length} steps.`);
      }
    },
  };
}

function check({ user, results, tools }: Expectation, request: ModelRequest, number: number): void {
  if (user !== undefined) {
    const said = lastUser(request);
    if (!fits(said, user)) throw scriptDrift(`Call ${number}: the user should say ${show(user)}, but says "${said}".`);
  }
  if (results !== undefined) {
    const message = request.messages.findLast(({ role }) => role === 'tool');
    const got = message?.role === 'tool' ? message.results.map(({ content }) => content) : [];
    const isRight = got.length === results.length && results.every((result, index) => fits(got[index] ?? '', result));
    if (!isRight) {
      throw scriptDrift(`Call ${number}: the results should be ${results.map(show)}, but are ${JSON.stringify(got)}.`);
    }
  }
  if (tools !== undefined) {
    const offered = request.tools.map(({ name }) => name);
    const isRight = offered.length === tools.length && tools.every((tool) => offered.includes(tool));
    if (!isRight)
      throw scriptDrift(`Call ${number}: the tools should be ${tools.join(', ')}, but are ${offered.join(', ')}.`);
  }
}

function lastUser(request: ModelRequest): string {
  const message = request.messages.findLast(({ role }) => role === 'user');
  return message?.role === 'user' ? textOf(message.content) : '';
}

function describe(request: ModelRequest): string {
  return `${request.messages.length} messages, the user said "${lastUser(request)}"`;
}

function fits(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}

function show(wanted: string | RegExp): string {
  return typeof wanted === 'string' ? JSON.stringify(wanted) : String(wanted);
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(cancelled(signal));
    else signal.addEventListener('abort', () => reject(cancelled(signal)), { once: true });
  });
}

function cancelled(signal: AbortSignal): PawlError {
  return new PawlError('cancelled', 'The call was cancelled.', { cause: signal.reason });
}
