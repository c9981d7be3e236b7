/** Opens the session that a run is about. */
import type { Host, SessionLog, SessionSummary } from '@pawl/engine';
import type { OpenOptions, SessionClient, SessionView } from '@pawl/protocol';
import { isPawlError } from '@pawl/protocol';
import { findSession, newestSession } from '../sessions/find.ts';
import { usageError } from '../usage-error.ts';
import type { RunOptions } from './flags.ts';

/** The session to go on with, or null for a new one. @throws `no_session`, `usage`. */
export async function findWanted(log: SessionLog, { session, cwd }: RunOptions): Promise<SessionSummary | null> {
  switch (session.kind) {
    case 'new':
      return null;
    case 'newest':
      return newestSession(log, cwd);
    case 'named':
      return findSession(log, session.id);
    default:
      return session satisfies never;
  }
}

/** @throws `usage` when there is a session of that id already. */
export async function createSession(host: Host, options: RunOptions, isAttended: boolean): Promise<SessionClient> {
  const { session, cwd, model, agent, mode, rules, limits, origin, compaction } = options;
  const id = session.kind === 'new' ? session.id : null;
  try {
    return await host.create({
      cwd,
      isAttended,
      rules,
      limits,
      ...(Object.keys(origin.origin).length > 0 && { origin: origin.origin }),
      metadata: origin.metadata,
      ...(compaction !== null && { compaction }),
      ...(id !== null && { id }),
      ...(model !== null && { model }),
      ...(agent !== null && { agent }),
      ...(mode !== null && { mode }),
    });
  } catch (error) {
    if (id === null || !isPawlError(error, 'conflict')) throw error;
    throw usageError(`There is a session ${id} already. Go on with it: pawl run --resume ${id}`, { cause: error });
  }
}

/** What the flags change in a session that exists, to hold from its next act on. */
export function changesFor(view: SessionView | null, options: RunOptions, isAttended: boolean): OpenOptions {
  const { model, agent, mode, limits, rules } = options;
  const configure = {
    isAttended,
    ...(model !== null && model !== view?.model && { model }),
    ...(agent !== null && { agent }),
    ...(mode !== null && { mode }),
    ...(Object.keys(limits).length > 0 && { limits }),
  };
  const lists = ['deny', 'ask', 'allow'] as const;
  const added = lists.flatMap((list) =>
    rules[list].filter((rule) => view?.rules[list].includes(rule) !== true).map((rule) => ({ list, rule })),
  );
  return { configure, rules: added };
}
