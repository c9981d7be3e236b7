/** Faults in what turns give, and in what is done when the model of compactions is down. */
import { core, runners } from '@pawl/engine/testing';
import type { Mutant } from './mutant.ts';

export const demandMutants: readonly Mutant[] = [
  {
    name: 'counts what a tool gave early without holding it against the schema',
    mutation: {
      core: {
        decide(state, command) {
          const isEarly = !('id' in command) && command.type === 'tool.finished' && command.checked !== undefined;
          if (!isEarly || state.turn === null) return core.decide(state, command);
          const { outputSchema: _, ...options } = state.turn.options;
          const { checked: __, ...unheld } = command;
          const data = { ...command.data, status: 'ok' as const, endsTurn: 'It is done.' };
          return core.decide({ ...state, turn: { ...state.turn, options } }, { ...unheld, data });
        },
      },
    },
    finds: ['I45 result'],
  },
  {
    name: 'asks for ever for a result that is wrong',
    mutation: {
      core: {
        evolve(state, event) {
          if (event.type !== 'result.checked') return core.evolve(state, event);
          return core.evolve(state, { ...event, data: { ...event.data, consequence: 'repair' } });
        },
      },
    },
    finds: ['I45 result'],
  },
  {
    name: 'fails a turn whose result is wrong without asking for it once more',
    mutation: {
      core: {
        evolve(state, event) {
          if (event.type !== 'result.checked') return core.evolve(state, event);
          return core.evolve(state, { ...event, data: { ...event.data, consequence: 'failure' } });
        },
      },
    },
    finds: ['I45 result'],
  },
  {
    name: 'runs calls in a turn that is to call none',
    mutation: {
      runners: {
        judge(effect, context) {
          const { turn } = context.state;
          const free = turn === null ? turn : { ...turn, options: {} };
          return runners.judge(effect, { ...context, state: { ...context.state, turn: free } });
        },
      },
    },
    finds: ['I46 choice'],
  },
  {
    name: 'makes no room while the model of compactions is left alone',
    mutation: {
      core: {
        settle: (state) =>
          core
            .settle(state)
            .flatMap((body) =>
              body.type !== 'compaction.started' || body.data.isMechanical !== true
                ? [body]
                : [{ type: 'step.started' as const, data: { turn: state.turns, step: (state.turn?.step ?? 0) + 1 } }],
            ),
      },
    },
    finds: ['I47 room'],
  },
];
