/** How a session changes its agent. */
import type { EventData } from '@pawl/protocol';
import type { Settings } from '../state.ts';

/**
 * The agent and what it may. Called before the event's mode is taken: the mode so far is the one to come back to
 * after an agent with a mode of its own.
 */
export function switchAgent(settings: Settings, { agent, profile, mode }: EventData['session.configured']): void {
  if (agent !== undefined) settings.agent = agent;
  if (profile === undefined) {
    // A person's word about the mode outlasts the agent.
    if (mode !== undefined) delete settings.modeOfSession;
    return;
  }
  settings.profile = profile;
  if (profile?.mode === undefined) delete settings.modeOfSession;
  else settings.modeOfSession ??= settings.mode;
}
