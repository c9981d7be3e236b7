/** Faults in how a history is compacted. */
import type { State } from '@pawl/engine/core';
import { core } from '@pawl/engine/testing';
import type { Mutant } from './mutant.ts';
import { evolveAnd } from './mutant.ts';

/** Each state's compaction whose summary has not taken its place yet. */
const before = new WeakMap<State, State['compaction']>();

export const compactionMutants: readonly Mutant[] = [
  {
    name: 'forgets what a person said to correct it',
    mutation: evolveAnd((state) => {
      state.pins = [];
    }),
    finds: ['I20 memory'],
  },
  {
    name: 'compacts a step that is not over',
    mutation: {
      core: {
        settle: (state) =>
          core
            .settle(state)
            .map((body) =>
              body.type === 'compaction.started'
                ? { ...body, data: { ...body.data, through: state.messages.at(-1)?.id ?? '' } }
                : body,
            ),
      },
    },
    finds: ['I8 request', 'I22 compaction', 'I20 memory'],
  },
  {
    name: 'lets a summary take its place while calls run',
    mutation: {
      core: {
        settle: (state) =>
          state.compaction?.ready != null && state.turn?.cancel === null
            ? core.settle({ ...state, turn: null })
            : core.settle(state),
      },
    },
    finds: ['I22 compaction'],
  },
  {
    name: 'lets a summary take its place twice',
    mutation: evolveAnd((state, event) => {
      if (event.type === 'compaction.summarised') before.set(state, state.compaction);
      if (event.type !== 'context.compacted') return;
      state.compaction = before.get(state) ?? null;
      before.delete(state);
    }),
    finds: ['I22 compaction'],
  },
  {
    name: 'goes on with a compaction when its turn is cancelled',
    mutation: {
      core: {
        settle: (state) =>
          state.turn?.cancel == null ? core.settle(state) : core.settle({ ...state, compaction: null }),
      },
    },
    finds: ['I23 cancel'],
  },
  {
    name: 'goes on in a fork with a compaction of the session that it was forked from',
    mutation: {
      core: {
        evolve(state, event) {
          const { compaction } = state;
          const next = core.evolve(state, event);
          if (event.type === 'session.forked') next.compaction = compaction;
          return next;
        },
      },
    },
    finds: ['I22 compaction', 'I23 cancel'],
  },
];
