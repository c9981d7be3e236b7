/** What a deliberate fault of the engine is, and how one is made. */
import type { State } from '@pawl/engine/core';
import { core } from '@pawl/engine/testing';
import type { DurableEvent } from '@pawl/protocol';
import type { Invariant } from '../checks/invariants.ts';
import type { Mutation } from '../world/machine.ts';

export type Mutant = {
  /** What the engine does wrong. */
  name: string;
  mutation: Mutation;
  /** The invariants by which it may show first. */
  finds: readonly Invariant[];
  /** The first seed of the thousand that are tried; default 1. */
  from?: number;
};

/** `evolve`, and then something that it should not do. */
export function evolveAnd(spoil: (state: State, event: DurableEvent) => void): Mutation {
  return {
    core: {
      evolve(state, event) {
        const next = core.evolve(state, event);
        spoil(next, event);
        return next;
      },
    },
  };
}
