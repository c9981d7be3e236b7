/** Pieces of the system prompt that are set while the program runs. */

/** They take effect with the next turn of every session of the host, and last as long as the host. */
export interface Prompts {
  /** For an agent, or `*` for all. An empty text takes the piece away; null gives it back as it is without this. */
  set(agent: string, name: string, text: string | null): void;
}

export type PromptSet = Prompts & {
  /** The pieces for this agent; those that were set for it alone win. */
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
