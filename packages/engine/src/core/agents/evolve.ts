/** How a session changes its agent. */
import type { EventData } from '@pawl/protocol';
import { reconsider } from '../calls/evolve.ts';
import type { State } from '../state.ts';

/**
 * Tools and rules of the new agent hold from here on, also for what was judged and has not begun. Called before the
 * event's mode is taken: the mode so far is the one to come back to after an agent with a mode of its own.
 */
export function switchAgent(state: State, { agent, profile, mode }: EventData['session.configured']): void {
  const { settings } = state;
  if (agent !== undefined) settings.agent = agent;
  if (profile === undefined) {
    // A person's word about the mode outlasts the agent.
    if (mode !== undefined) delete settings.modeOfSession;
    return;
  }
  settings.profile = profile;
  if (profile?.mode === undefined) delete settings.modeOfSession;
  else settings.modeOfSession ??= settings.mode;
  reconsider(state);
}
