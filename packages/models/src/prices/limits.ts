/**
 * Most tokens of one answer, by the start of a model's name; the first that fits holds. The price table does not
 * have them. Sources: https://docs.anthropic.com/en/docs/about-claude/models/overview and
 * https://platform.openai.com/docs/models, each model's own page.
 */
const outputLimits: readonly (readonly [start: string, tokens: number])[] = [
  ['claude-3-haiku', 4096],
  ['claude-3-opus', 4096],
  ['claude-3-sonnet', 4096],
  ['claude-3-5', 8192],
  ['claude-3-7', 64_000],
  ['claude-opus-4-1', 32_000],
  ['claude-opus-4-2025', 32_000],
  ['claude-opus-4-0', 32_000],
  ['claude-opus-4-5', 64_000],
  ['claude-opus-4', 128_000],
  ['claude-sonnet-4', 64_000],
  ['claude-haiku-4', 64_000],
  // Newer than this table: what their predecessors allow.
  ['claude-', 32_000],
  ['gpt-3.5', 4096],
  ['gpt-4-turbo', 4096],
  ['gpt-4o', 16_384],
  ['gpt-4.1', 32_768],
  ['gpt-4', 8192],
  ['gpt-5-chat', 16_384],
  ['gpt-5', 128_000],
  ['gpt-6', 128_000],

  ['o1', 100_000],
  ['o3', 100_000],
  ['o4-mini', 100_000],
];

/** For a model that no table knows: what even small ones allow. */
const unknownOutputTokens = 4096;

/** Most tokens that one answer of `model` may have. A name such as `vendor/model` is known by its last part. */
export function outputLimit(model: string): number {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase();
  return outputLimits.find(([start]) => name.startsWith(start))?.[1] ?? unknownOutputTokens;
}
