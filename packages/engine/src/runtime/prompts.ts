/** Pieces of the system prompt that are set while the program runs. */

/** They hold from the next turn on, in every session of the host, and last as long as the host. */
export interface Prompts {
  /** For an agent, or `*` for all. An empty text takes the piece away; null gives it back as it is without this. */
  set(agent: string, name: string, text: string | null): void;
}

export type PromptSet = Prompts & {
  /** What holds for this agent; what was set for it alone wins. */
  of(agent: string): ReadonlyMap<string, string>;
};

export function createPrompts(): PromptSet {
  const set = new Map<string, Map<string, string>>();
  return {
    set(agent, name, text) {
      const own = set.get(agent) ?? new Map<string, string>();
      set.set(agent, own);
      if (text === null) own.delete(name);
      else own.set(name, text);
    },
    of: (agent) => new Map([...(set.get('*') ?? []), ...(set.get(agent) ?? [])]),
  };
}
