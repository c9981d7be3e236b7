/** What the model sees, as a pure function of the state. */
import type { State } from '../core/index.ts';
import type { Model, ModelRequest } from '../ports.ts';
import type { EffectPorts } from '../runtime/effects/effect.ts';
import { toolsOf } from './agent-tools.ts';
import { offeredTools } from './offered.ts';
import { promptOf } from './prompts/index.ts';
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
  // A switch of the agent in the middle of a step is the next step's.
  const profile = state.turn === null ? state.settings.profile : state.turn.profile;
  return {
    session: state.session,
    model: model.id.slice(model.id.indexOf('/') + 1),
    system: state.fragments === null ? ports.system(state) : promptOf(state.fragments),
    tools: offeredTools(toolsOf(ports.tools, profile), state.offeredTools),
    messages: state.messages.slice(),
    tail: tailOf(state),
    maxOutputTokens: model.info.outputTokens,
    file,
    signedFrom: state.signedFrom,
  };
}
