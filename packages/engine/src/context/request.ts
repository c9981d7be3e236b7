/** Builds the request that the model sees, as a pure function of the state. */
import type { State } from '../core/index.ts';
import { maxAnswerTokens } from '../core/index.ts';
import type { Model, ModelRequest } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';
import { toolsFor } from './audience.ts';
import { offeredTools } from './offered.ts';
import { promptOf } from './prompts/index.ts';
import { tailOf } from './tail.ts';

/** The prompt and the tools of a step, which stay the same while its model is being called. */
export type Told = Pick<ModelRequest, 'system' | 'tools'>;

/** The prompt of a session without gathered surroundings, and the registered tools. */
type ToldWith = { system(state: Readonly<State>): string; tools: Registry };

export function toldTo(state: Readonly<State>, ports: ToldWith): Told {
  const toolChoice = state.turn?.options.toolChoice;
  const found = typeof toolChoice === 'object' ? [...state.offeredTools, toolChoice.tool] : state.offeredTools;
  return {
    system: state.fragments === null ? ports.system(state) : promptOf(state.fragments),
    tools: offeredTools(toolsFor(ports.tools, state, (state.turn ?? state.settings).profile), found),
  };
}

/**
 * The request of the next step. The order is the same at every step: system, tools, messages. Nothing volatile stands
 * among them, so that a provider's prompt cache stays valid; the volatile tail comes last.
 */
export function buildRequest(
  state: Readonly<State>,
  model: Pick<Model, 'id' | 'info'>,
  told: Told,
  file: (digest: string) => Uint8Array | null = () => null,
): ModelRequest {
  const { options = {}, isToolChoiceMet = false, loop = null } = state.turn ?? {};
  const { toolChoice, outputSchema, requestTimeoutMs } = options;
  const isForced = toolChoice === 'none' || (toolChoice !== undefined && toolChoice !== 'auto' && !isToolChoiceMet);
  return {
    session: state.session,
    model: model.id.slice(model.id.indexOf('/') + 1),
    ...told,
    messages: state.messages.slice(),
    tail: tailOf(state),
    maxOutputTokens: Math.min(model.info.outputTokens, maxAnswerTokens(state)),
    file,
    signedFrom: state.signedFrom,
    ...(isForced && { toolChoice }),
    // In a turn with a target, the call that ends it gives the result.
    ...(outputSchema !== undefined && loop === null && { outputSchema }),
    ...(requestTimeoutMs !== undefined && { timeoutMs: requestTimeoutMs }),
  };
}
