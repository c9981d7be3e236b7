/** Faults in turns with a target, and in mail. */
import { core, runners } from '@pawl/engine/testing';
import type { Mutant } from './mutant.ts';
import { evolveAnd } from './mutant.ts';

/** Worlds in which there are errands begin here. */
const from = 4;

export const errandMutants: readonly Mutant[] = [
  {
    name: 'accepts a mail each time that it is handed over',
    mutation: {
      core: {
        decide(state, command) {
          if (!('id' in command) || command.type !== 'mail.receive') return core.decide(state, command);
          return core.decide({ ...state, commands: new Map() }, command);
        },
      },
    },
    finds: ['I34 mail', 'I9 input', 'I14 command'],
    from,
  },
  {
    name: 'takes a mail for delivered before it is',
    mutation: {
      runners: {
        async deliver(effect, context) {
          await context.report({ type: 'mail.delivered', effect: effect.id, mail: effect.mail });
          await runners.deliver(effect, { ...context, report: async () => true });
        },
      },
    },
    finds: ['I35 post'],
    from,
  },
  {
    name: 'forgets mail that could not be delivered at once',
    mutation: { core: { due: (state) => core.due(state).filter(({ id }) => !id.startsWith('timer:mail:')) } },
    finds: ['I35 post'],
    from,
  },
  {
    name: 'takes a mail for read that no request has held',
    mutation: evolveAnd((state, event) => {
      if (event.type !== 'mail.received') return;
      for (const mail of state.mail.inbox) mail.isRead = true;
    }),
    finds: ['I35 post'],
    from,
  },
  {
    name: 'ends a turn well with something open on the list',
    mutation: {
      core: {
        settle: (state) => core.settle({ ...state, todos: { items: [], age: 1 } }),
        decide: (state, command) => core.decide({ ...state, todos: { items: [], age: 1 } }, command),
      },
    },
    finds: ['I36 target', 'I20 memory'],
    from,
  },
  {
    name: 'ends a turn well whose check failed',
    mutation: evolveAnd((state, event) => {
      const loop = state.turn?.loop ?? null;
      if (event.type !== 'loop.verified' || event.data.ok || loop === null) return;
      Object.assign(loop, { rest: null, proposed: { message: 'It is done.' }, isAssessed: true });
    }),
    finds: ['I36 target'],
    from,
  },
  {
    name: 'asks for no second look',
    mutation: evolveAnd((state, event) => {
      const loop = state.turn?.loop ?? null;
      if (event.type === 'tool.finished' && loop?.proposed != null && loop.verify === null) loop.isAssessed = true;
    }),
    finds: ['I36 target'],
    from,
  },
  {
    name: 'goes on for a round too many',
    mutation: {
      core: {
        settle(state) {
          const { turn } = state;
          if (turn?.loop == null) return core.settle(state);
          const loop = { ...turn.loop, maxIterations: turn.loop.maxIterations + 1, fruitless: 0 };
          return core.settle({ ...state, turn: { ...turn, loop } });
        },
      },
    },
    finds: ['I37 rounds'],
    from,
  },
  {
    name: 'runs the check of a turn that nobody says is done',
    mutation: {
      core: {
        due(state) {
          const { turn } = state;
          if (turn?.loop?.verify == null || turn.phase !== 'model') return core.due(state);
          return [...core.due(state), { kind: 'verify', id: `verify:t${turn.number}_i${turn.loop.iteration}` }];
        },
        decide(state, command) {
          const { turn } = state;
          if ('id' in command || command.type !== 'loop.verified' || turn?.loop == null)
            return core.decide(state, command);
          const { type, effect: _, ...data } = command;
          const verified = { turn: turn.number, iteration: turn.loop.iteration, ...data };
          return { type: 'accepted', events: [{ type, data: verified }] };
        },
      },
    },
    finds: ['I38 verify'],
    from,
  },
];
