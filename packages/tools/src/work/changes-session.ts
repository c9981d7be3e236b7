import type { Tool } from '@pawl/engine';

/**
 * What a tool is that changes its session and nothing else: its calls of one step run one after another, it needs no
 * question, and plan mode lets it through because it touches nothing outside.
 */
export const changesSession = {
  effect: 'idempotent',
  approval: () => false,
  containment: () => 'read-only',
} as const satisfies Pick<Tool, 'effect' | 'approval' | 'containment'>;
