/** Faults in what surrounds the work: the system prompt, and the agents. */
import type { State } from '@pawl/engine/core';
import { core, runners } from '@pawl/engine/testing';
import type { Mutant } from './mutant.ts';
import { evolveAnd } from './mutant.ts';

/** As if the pieces there are had been gathered for another agent or turn. */
const withGathered = (state: State, gathered: State['gathered']): State => ({ ...state, gathered });

export const surroundingsMutants: readonly Mutant[] = [
  {
    name: 'tells the model the time in its system prompt',
    mutation: {
      runners: {
        model: (effect, context) => {
          const { state, ports } = context;
          const timed: State = Object.create(state, {
            fragments: {
              get: () =>
                state.fragments?.map((piece) => ({ ...piece, text: `${piece.text} ${ports.clock.now()}` })) ?? null,
            },
          });
          return runners.model(effect, { ...context, state: timed });
        },
      },
    },
    finds: ['I25 system'],
  },
  {
    name: 'goes on with the prompt of the agent before',
    mutation: {
      core: {
        settle: (state) => core.settle(asOwn(state)),
        due: (state) => core.due(asOwn(state)),
      },
    },
    finds: ['I26 gathered', 'I25 system'],
  },
  {
    name: 'gathers before every step',
    mutation: evolveAnd((state, event) => {
      if (event.type === 'tool.finished') state.gathered = null;
    }),
    finds: ['I26 gathered'],
  },
  {
    name: 'tells an agent of tools that are not its own',
    mutation: {
      runners: {
        model: (effect, context) => {
          const { state } = context;
          const free: State = Object.create(state, {
            turn: { get: () => state.turn && { ...state.turn, profile: null } },
          });
          return runners.model(effect, { ...context, state: free });
        },
      },
    },
    finds: ['I25 system'],
  },
  {
    name: 'lets calls run that the agent is not to make',
    mutation: {
      runners: {
        judge: (effect, context) => {
          const { state } = context;
          const free: State = Object.create(state, {
            settings: { get: () => ({ ...state.settings, profile: null }) },
          });
          return runners.judge(effect, { ...context, state: free });
        },
      },
    },
    finds: ['I7 refusal', 'I18 early'],
  },
];

function asOwn(state: State): State {
  const { gathered, settings } = state;
  return gathered === null ? state : withGathered(state, { ...gathered, agent: settings.agent });
}
