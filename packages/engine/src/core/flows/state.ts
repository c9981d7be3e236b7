import type { Flow } from '@pawl/protocol';

/** The end of a turn or task, matched by a flow whose task was not requested yet. */
export type FlowTrigger = {
  flow: Flow;
  /** `turn:3`, `task:builder-1:2`. */
  from: string;
  result: string;
  /** How many flows led to the task that it starts, this one included. */
  depth: number;
};

/** Ends of turns and tasks whose flows have still to start a task. */
export type FlowsState = { flowTriggers: FlowTrigger[] };

export const initialFlows = (): FlowsState => ({ flowTriggers: [] });
