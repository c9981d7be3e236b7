import type { Flow } from '@pawl/protocol';

/** An end of work that a rule of the session starts more work after. */
export type FlowTrigger = {
  flow: Flow;
  /** `turn:3`, `task:builder-1:2`. */
  from: string;
  result: string;
  /** How many flows led to what it starts, with this one. */
  depth: number;
};

/** Ends of work after which a rule starts more, until that has been asked for. */
export type FlowsState = { flowTriggers: FlowTrigger[] };

export const initialFlows = (): FlowsState => ({ flowTriggers: [] });
