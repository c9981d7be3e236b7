/** How a session changes its agent. */
import type { EventData } from '@pawl/protocol';
import type { Settings } from '../state.ts';

/**
 * The agent and what it may. Called before the event's mode is applied: the mode so far is the one to return to
 * after an agent that has its own mode.
 */
export function switchAgent(settings: Settings, { agent, profile, mode }: EventData['session.configured']): void {
  if (agent !== undefined) settings.agent = agent;
  if (profile === undefined) {
    // A mode that a person sets stays when the agent changes.
    if (mode !== undefined) delete settings.modeOfSession;
    return;
  }
  settings.profile = profile;
  if (profile?.mode === undefined) delete settings.modeOfSession;
  else settings.modeOfSession ??= settings.mode;
}
