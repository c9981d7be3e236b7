/** Faults in what becomes of questions to people. */
import { core } from '@pawl/engine/testing';
import type { Mutant } from './mutant.ts';
import { evolveAnd } from './mutant.ts';

export const questionMutants: readonly Mutant[] = [
  {
    name: 'runs a call before the answer to what it asks',
    mutation: evolveAnd((state, event) => {
      if (event.type !== 'question.asked') return;
      for (const call of state.turn?.calls ?? []) if (call.id === event.data.call) call.status = 'allowed';
    }),
    finds: ['I7 refusal', 'I6 approval'],
  },
  {
    name: 'lets an agent answer a question',
    mutation: {
      core: {
        decide: (state, command) =>
          'id' in command && command.type === 'question.answer'
            ? core.decide(state, { ...command, by: { ...command.by, kind: 'human' } })
            : core.decide(state, command),
      },
    },
    finds: ['I6 approval'],
  },
  {
    name: 'runs a call whose question was declined',
    mutation: evolveAnd((state, event) => {
      if (event.type !== 'question.answered' || event.data.outcome !== 'declined') return;
      for (const call of state.turn?.calls ?? []) if (call.id === event.data.call) call.status = 'allowed';
    }),
    finds: ['I7 refusal'],
  },
  {
    name: 'leaves a question open when its turn is cancelled',
    mutation: {
      core: {
        settle: (state) =>
          core
            .settle(state)
            .filter((body) => !(body.type === 'question.answered' && body.data.outcome === 'cancelled')),
      },
    },
    finds: ['I6 approval'],
  },
  {
    name: 'takes a second answer',
    mutation: {
      core: {
        decide(state, command) {
          if (!('id' in command) || command.type !== 'question.answer' || state.turn === null) {
            return core.decide(state, command);
          }
          const calls = state.turn.calls.map((call) =>
            call.questions === null
              ? call
              : { ...call, status: 'questioned' as const, questions: { ...call.questions, reply: null } },
          );
          return core.decide({ ...state, turn: { ...state.turn, calls } }, command);
        },
      },
    },
    finds: ['I6 approval'],
  },
  {
    name: 'asks where nobody is there to answer',
    mutation: {
      core: {
        settle: (state) => core.settle({ ...state, settings: { ...state.settings, isAttended: true } }),
      },
    },
    finds: ['I6 approval'],
  },
];
