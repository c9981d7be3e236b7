/**
 * Most tokens of one answer of models that are no longer offered everywhere, by the start of their name; the first that
 * fits holds. Sources: https://docs.claude.com/en/docs/about-claude/models/overview and
 * https://platform.openai.com/docs/models, each model's own page.
 */
const limits: { readonly [provider: string]: readonly (readonly [start: string, tokens: number])[] } = {
  anthropic: [
    ['claude-3-haiku', 4096],
    ['claude-3-opus', 4096],
    ['claude-3-sonnet', 4096],
    ['claude-3-5', 8192],
    ['claude-3.5', 8192],
    ['claude-3-7', 64_000],
    ['claude-3.7', 64_000],
    ['claude-opus-4-1', 32_000],
    ['claude-opus-4-2025', 32_000],
    ['claude-opus-4-0', 32_000],
    ['claude-opus-4-5', 64_000],
    ['claude-opus-4', 128_000],
    ['claude-sonnet-4', 64_000],
    ['claude-haiku-4', 64_000],
  ],
  openai: [
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
  ],
};

export function outputLimit(provider: string, name: string): number | null {
  return limits[provider]?.find(([start]) => name.startsWith(start))?.[1] ?? null;
}
