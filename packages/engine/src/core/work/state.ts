import type { Todo } from '@pawl/protocol';

/** What the agent declares of its work. */
export type WorkState = {
  stage: string | null;
  /** The agent's list, and the steps begun since it last changed. */
  todos: { items: readonly Todo[]; age: number };
  /** What the session noted, by key. */
  notes: Map<string, string>;
  /** A plan that nobody was given yet. */
  plan: string | null;
  /** Tools of a large set that the model has found. */
  offeredTools: readonly string[];
};

export const initialWork = (): WorkState => ({
  stage: null,
  todos: { items: [], age: 0 },
  notes: new Map(),
  plan: null,
  offeredTools: [],
});
