/** A durable agent engine. Start with `createHost`; read `core` to learn how it works. */

export { agentsOf, builtinAgents } from './agents/index.ts';
export { defaultSummaryPrompt } from './context/compaction/prompt.ts';
export { defaultPrompt } from './context/prompt.ts';
export {
  categories as promptCategories,
  composePrompt,
  conditions as promptConditions,
  type Piece,
  type PromptQuery,
  promptText,
} from './context/prompts/index.ts';
export type { ContextRegion, ContextReport } from './context/regions.ts';
export { contextOf } from './context/regions.ts';
export { buildRequest, toldTo } from './context/request.ts';
export type { State } from './core/index.ts';
export { defaultLimits, taskSettingsOf } from './core/index.ts';
export { withContext, withCostBudget, withSystem } from './middleware/index.ts';
export * from './ports.ts';
export type { Registry } from './registry/registry.ts';
export { createRegistry } from './registry/registry.ts';
export { canonicalPathsOf } from './runtime/effects/canonical.ts';
export type { RuleLayer } from './runtime/effects/judge.ts';
export type { Host } from './runtime/host.ts';
export { createHost } from './runtime/host.ts';
export type { HostOptions } from './runtime/host-options.ts';
export { createId, systemClock } from './runtime/ids.ts';
export { keptEvents } from './runtime/kept.ts';
export type { RequestMiddleware, ToolMiddleware, ToolRun } from './runtime/middleware.ts';
export { writeCommand } from './runtime/outside-driver.ts';
export type { Prompts } from './runtime/prompts.ts';
