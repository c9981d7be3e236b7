/** What the model sees, as a pure function of the state. */
import type { State } from '../core/index.ts';
import { answerRoom } from '../core/index.ts';
import type { Model, ModelRequest } from '../ports.ts';
import type { EffectPorts } from '../runtime/effects/effect.ts';
import { toolsFor } from './audience.ts';
import { offeredTools } from './offered.ts';
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
  return {
    session: state.session,
    model: model.id.slice(model.id.indexOf('/') + 1),
    system: ports.system(state),
    tools: offeredTools(toolsFor(ports.tools, state), state.offeredTools),
    messages: state.messages.slice(),
    tail: tailOf(state),
    maxOutputTokens: Math.min(model.info.outputTokens, answerRoom(state)),
    file,
    signedFrom: state.signedFrom,
  };
}
