/** What the model sees, as a pure function of the state. */
import type { State } from '../core/index.ts';
import type { Model, ModelRequest } from '../ports.ts';
import type { EffectPorts } from '../runtime/effects/effect.ts';
import { toolsOf } from './agent-tools.ts';
import { offeredTools } from './offered.ts';
import { promptText } from './prompts/index.ts';
import { tailOf } from './tail.ts';

/**
 * The request of the next step. The order is stable from step to step: system, tools, messages;
 * nothing volatile stands among them, so that a provider's prompt cache holds; what is volatile comes last.
 */
export function buildRequest(
  state: Readonly<State>,
  model: Pick<Model, 'id' | 'info'>,
  ports: Pick<EffectPorts, 'system' | 'tools'>,
  file: (digest: string) => Uint8Array | null = () => null,
): ModelRequest {
  const { options = {}, isChoiceMet = false, loop = null } = state.turn ?? {};
  const { toolChoice, outputSchema, requestTimeoutMs } = options;
  const isForced = toolChoice === 'none' || (toolChoice !== undefined && toolChoice !== 'auto' && !isChoiceMet);
  const found = typeof toolChoice === 'object' ? [...state.offeredTools, toolChoice.tool] : state.offeredTools;
  return {
    session: state.session,
    model: model.id.slice(model.id.indexOf('/') + 1),
    system: state.fragments === null ? ports.system(state) : promptText(state.fragments),
    tools: offeredTools(toolsOf(ports.tools, state.settings.profile), found),
    messages: state.messages.slice(),
    tail: tailOf(state),
    maxOutputTokens: model.info.outputTokens,
    file,
    signedFrom: state.signedFrom,
    ...(isForced && { toolChoice }),
    // A turn with a target gives its result by the call that ends it.
    ...(outputSchema !== undefined && loop === null && { outputSchema }),
    ...(requestTimeoutMs !== undefined && { timeoutMs: requestTimeoutMs }),
  };
}
