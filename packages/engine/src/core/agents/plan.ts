/** Handing a plan to the agent that carries it out. */
import type { EventBody } from '@pawl/protocol';
import type { Decision, FingerprintedCommand } from '../decision.ts';
import { accept, refuse } from '../decision.ts';
import type { State } from '../state.ts';
import { modeAfter } from './profile.ts';

/** Only a person can do this, because the agent that carries the plan out may have more permissions than the one that wrote it. */
export function executePlan(state: State, command: FingerprintedCommand & { type: 'plan.execute' }): Decision {
  const { plan, turn, settings } = state;
  const { agent, profile, model, modelInfo } = command.data;
  if (command.by.kind !== 'human') return refuse('human_only', 'Only a person can have a plan carried out.');
  if (plan === null) return refuse('no_plan', 'There is no plan to carry out. Have the planner write one first.');
  if (turn !== null) return refuse('busy', `Turn ${turn.number} is running. Wait for it, or cancel it.`);
  if (model !== undefined && modelInfo === undefined) {
    return refuse('bad_command', 'A change of the model needs its modelInfo: limits, and whether its price is known.');
  }
  const mode = modeAfter(settings, { ...(profile !== undefined && { profile }) });
  const switched: EventBody = {
    type: 'session.configured',
    data: {
      agent,
      ...(profile !== undefined && { profile }),
      ...(mode !== undefined && { mode }),
      ...(model !== undefined && { model, modelInfo }),
    },
  };
  const content = [{ type: 'text' as const, text: `Carry out this plan:\n\n${plan}` }];
  return accept({ type: 'plan.accepted', data: { agent, input: command.id } }, switched, {
    type: 'input.queued',
    data: { input: command.id, delivery: 'queue', content },
  });
}
