/** The simulated tools as data: what each one's calls look like, and how they go. */
import type { JsonObject, ToolEffect } from '@pawl/protocol';

/** How a call goes. `deaf` ignores that it was told to stop; `outdated` finds another world than was judged, once. */
export const fates = {
  plain: 30,
  slow: 8,
  big: 1,
  error: 4,
  throws: 4,
  outdated: 8,
  hangs: 2,
  deaf: 2,
  plan_throws: 2,
  plan_hangs: 1,
  paths_throw: 1,
  ends_turn: 1,
  stages: 1,
  pictures: 3,
  quiet: 8,
} as const;
type Fate = keyof typeof fates;
export type Fates = Record<Fate, number>;

export const paths = ['/w/a', '/w/b', '/w/c'] as const;

export type Input = JsonObject & { path: string; fate: Fate };

type Kind = {
  effect: ToolEffect;
  hasPath: boolean;
  canReconcile: boolean;
  /** Whether it asks before a call that is not `quiet`. */
  asks: boolean;
  isInput(input: JsonObject): input is Input;
};

const isInput = ({ path, fate }: JsonObject): boolean =>
  typeof path === 'string' && typeof fate === 'string' && fate in fates;

const kind = (effect: ToolEffect, has: { path?: boolean; reconcile?: boolean; asks?: boolean } = {}): Kind => ({
  effect,
  hasPath: has.path === true,
  canReconcile: has.reconcile === true,
  asks: has.asks ?? effect !== 'read',
  isInput: (input): input is Input => isInput(input),
});

const kinds: Readonly<Record<string, Kind>> = {
  look: kind('read', { path: true }),
  ask: kind('read'),
  peek: kind('read', { path: true, asks: true }),
  set: kind('idempotent', { path: true }),
  write: kind('write', { path: true, reconcile: true }),
  scribble: kind('write', { path: true }),
  change: kind('write', { reconcile: true }),
  send: kind('external'),
  post: kind('external', { reconcile: true }),
};

export const toolNames = Object.keys(kinds);
export const kindOf = (tool: string): Kind | undefined => kinds[tool];
