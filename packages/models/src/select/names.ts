/** The parts of `provider/model@variant`. A provider may have slashes in its models' names. */
export type ModelName = { provider: string; model: string; variant: string | null };

/**
 * Null where there is no provider or no model. What follows the last `@` is a variant if it begins with a letter and has
 * no slash: `@high`, but neither `@cf/meta/llama` nor the day in `claude-opus-4@20250514`.
 */
export function parseModelName(name: string): ModelName | null {
  const slash = name.indexOf('/');
  if (slash < 1) return null;
  const rest = name.slice(slash + 1);
  const [, model = rest, variant = null] = /^(.+)@([A-Za-z][\w.-]*)$/.exec(rest) ?? [];
  return model === '' ? null : { provider: name.slice(0, slash), model, variant };
}

/** `provider/model`: a variant is the same model, asked in another way. */
export function withoutVariant(id: string): string {
  const named = parseModelName(id);
  return named === null ? id : `${named.provider}/${named.model}`;
}
