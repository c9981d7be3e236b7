/** One simulated machine: a real host of the engine on a simulated clock, disk, model and set of tools. */
import type { Clock, Host, Storage } from '@pawl/engine';
import { createHost } from '@pawl/engine';
import type { State } from '@pawl/engine/core';
import type { Core, Runners } from '@pawl/engine/testing';
import { core as realCore, runners as realRunners } from '@pawl/engine/testing';
import { checkTool, mailRules } from './errands.ts';
import { createAttachments } from './files.ts';
import type { ModelWorld } from './model.ts';
import { createModel, modelId, otherModelId } from './model.ts';
import type { OutcomeFaults } from './outcomes.ts';
import { withOutcomeFaults } from './outcomes.ts';
import { bytesIn } from './repeats.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import type { SurroundingsWorld } from './surroundings.ts';
import { agents, createSurroundings } from './surroundings.ts';
import type { ToolWorld } from './tools.ts';
import { createTools } from './tools.ts';

/** Parts of the engine that are broken on purpose. */
export type Mutation = {
  core?: Partial<Core>;
  runners?: Partial<Runners>;
  log?: { ignoresExpectedSeq?: boolean };
};

export type Machine = Owner & {
  readonly host: Host;
  /** The states that its sessions have now, as the engine folds them. */
  readonly states: Map<string, State>;
};

export type MachineWorld = ToolWorld &
  ModelWorld &
  SurroundingsWorld &
  OutcomeFaults & {
    mutation: Mutation;
    onDue(owed: ReturnType<Core['due']>, state: Readonly<State>, owner: Owner): void;
  };

export function createMachine(name: string, storage: (owner: Owner) => Storage, world: MachineWorld): Machine {
  const owner = { name, isAsleep: false, isDead: false };
  const states = new Map<string, State>();
  const core = { ...realCore, ...world.mutation.core };
  const runners = { ...realRunners, ...world.mutation.runners };
  let ids = 0;
  const host = createHost({
    log: storage(owner),
    clock: skewedClock(owner, world.scheduler, world.random.below(100)),
    model: createModel(modelId, world, owner),
    models: async (id) => {
      await world.scheduler.wait(owner, `prepare ${id}`);
      if (world.random.chance(0.05)) await new Promise<never>(() => undefined);
      return createModel(id === otherModelId ? otherModelId : modelId, world, owner);
    },
    ...(world.isGathering && { agents, surroundings: createSurroundings(world, owner) }),
    tools: [...createTools(world, owner), ...(world.isErrand ? [checkTool(world, owner)] : [])],
    mail: mailRules(world, owner),
    createId: () => `${name}-${++ids}`,
    internals: {
      core: {
        ...core,
        evolve(state, event) {
          const next = core.evolve(state, event);
          states.set(event.session, next);
          return next;
        },
        due(state) {
          const owed = core.due(state);
          world.onDue(owed, state, owner);
          return owed;
        },
      },
      runners: withOutcomeFaults(runners, owner, world),
      attachments: createAttachments,
      readFile: async (path) => (world.isRepeating ? bytesIn(world.versions, path) : new TextEncoder().encode(path)),
    },
  });
  return Object.assign(owner, { host, states });
}

/** No two machines agree about the time. */
function skewedClock(owner: Owner, scheduler: Scheduler, skewMs: number): Clock {
  return {
    now: () => scheduler.now() + skewMs,
    at: (at, call) => scheduler.at(owner, at - skewMs, 'timer', call),
  };
}
