import type { Todo } from '@pawl/protocol';

/** What the agent declares about its work. */
export type WorkState = {
  stage: string | null;
  /** The agent's todos, and the steps since they changed. */
  todos: { items: readonly Todo[]; age: number };
  /** Notes of the session, by key. */
  notes: Map<string, string>;
  /** A plan that was not handed to an agent yet. */
  plan: string | null;
  /** Tools of a large set that the model has searched for and found. */
  offeredTools: readonly string[];
};

export const initialWork = (): WorkState => ({
  stage: null,
  todos: { items: [], age: 0 },
  notes: new Map(),
  plan: null,
  offeredTools: [],
});
